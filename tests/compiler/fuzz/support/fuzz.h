/* SPDX-License-Identifier: Apache-2.0
 *
 * What generated programs stand on. All of it lies in a file that is compiled
 * without the pass, so that a compiler knows nothing of what these calls do.
 */
#ifndef FUZZ_H
#define FUZZ_H

#ifdef __cplusplus
extern "C" {
#endif

/* Opens this rank's log and sends its standard output to a file of its own. */
void fz_begin(int rank, int ranks);
void fz_end(void);
/* Marks where the program is: what was seen until here is on disk. */
void fz_scene(int number);

/* What the program saw. Both runs must have seen the same. */
void fz_note(int id, long value);
void fz_real(int id, double value);
void fz_sum(int id, const void* bytes, long size);

/* Values that are equal on all ranks and that a compiler cannot know. */
extern int fz_given[64];
int fz_ask(int index);

/* Memory that somebody else knows: kept here, changed or looked at later. */
void fz_keep(int slot, void* memory, long count, int real);
void fz_poke(int slot, int salt);
void fz_peek(int id, int slot);
void* fz_same(void* pointer);
void* fz_memory(int slot, long size);
void fz_call(void (*function)(void*), void* argument);

/* Files as signals between ranks. */
void fz_put(int id, int rank, int value);
int fz_has(int id, int rank);
void fz_nap(int milliseconds);

#ifdef __cplusplus
}
#endif

#endif
