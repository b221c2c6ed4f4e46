/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls that compiled code makes in addition where it was compiled with
 * -flapwing=verify. Programs do not call these by hand.
 *
 * Such a program communicates as its author wrote it: each call of
 * lapwing/compiled.h that would start a transfer makes the program's own call, and
 * a wait that was moved completes its requests where it stood. But the memory that
 * the compiler believes in flight is under guard until the wait at its new place,
 * and the first access ends the job with a sentence.
 */
#ifndef LAPWING_COMPILED_VERIFY_H
#define LAPWING_COMPILED_VERIFY_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A transfer as the compiler knows it; a constant of the program. */
typedef struct lapwing_verify_site {
  const char* call;  /**< MPI_Recv */
  const char* start; /**< "file:line" of the program's call */
  const char* waits; /**< "file:line" of each place where its wait stands now */
  int early;         /**< it starts above the place where the call stood */
} lapwing_verify_site;

/** Of the start that is the thread's next call. */
void lapwing_verify_next(const lapwing_verify_site*);

/** Behind a start of the program's own whose wait was moved. */
void lapwing_verify_started(const lapwing_verify_site*, const MPI_Request*, const void* buffer, int count,
                            MPI_Datatype, int receives);
void lapwing_verify_started_(const lapwing_verify_site*, const MPI_Fint* request, void* buffer,
                             MPI_Fint count, MPI_Fint type, int receives);

/** The status with which a job ends that verification stops. */
enum { LAPWING_VERIFY_STATUS = 87 };

#ifdef __cplusplus
}
#endif

#endif
