/* SPDX-License-Identifier: Apache-2.0
 *
 * Code compiled with `lwcc --declared` calls these, in place of lapwing_use() and
 * lapwing_define() by hand (lapwing/declare.h). Programs do not call these.
 *
 * The compiler keeps the memory of each declaration in a variable of the
 * function that declares, and passes that where it has found a read or a write.
 */
#ifndef LAPWING_COMPILED_DECLARED_H
#define LAPWING_COMPILED_DECLARED_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory from `begin` up to `end`; both 0: none yet. */
typedef struct lapwing_noted {
  size_t begin, end;
} lapwing_noted;

/** Before `count` elements of `type` at `buffer` are declared: `noted` holds them
 *  from now on, and what it held before as long as anything is pending. */
void lapwing_declared_note(lapwing_noted* noted, const void* buffer, int count, MPI_Datatype type);

/** lapwing_use() and lapwing_define() of what is noted. */
void lapwing_declared_use(const lapwing_noted* noted);
void lapwing_declared_define(const lapwing_noted* noted);

#ifdef __cplusplus
}
#endif
#endif
