/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 8 of 8: arrays in files.
 *
 * One file has the elements of the whole array, one after the other as in the memory of
 * one process, in the array's order (LAPWING_ROW_MAJOR or LAPWING_COLUMN_MAJOR) and the
 * machine's byte order: what fwrite, Fortran's stream access and numpy.tofile write.
 * It is read back under any distribution, on any number of processes.
 */
#ifndef LAPWING_ARRAY_FILES_H
#define LAPWING_ARRAY_FILES_H

#include "lapwing/array_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the array (or a section of it, as an array of its own) from byte `offset` of the file
 *  `path` on. The file is made where there is none; what else it has stays, so that several arrays
 *  may share one. By MPI's files: each of some processes writes a contiguous part, in rounds of
 *  16 MiB a process. Nothing is synchronised with the device. Every process of the task makes the
 *  call, with the same path, offset and array; a section has no permutation. Errors are the same on
 *  all of them: LAPWING_ARRAY_ERR_FILE (no permission, no space, ...), after which the file may have
 *  a part of the array, LAPWING_ARRAY_ERR_DIFFERS, and those of lapwing_array_redistribute().
 *  Collective over the caller's task; blocks. */
int lapwing_array_write(const char* path, int64_t offset, const void* local, int64_t elements,
                        const lapwing_distribution* array, lapwing_tasks* tasks);

/** Reads such an array. A file that has fewer bytes is an error before anything is read. */
int lapwing_array_read(const char* path, int64_t offset, void* local, int64_t elements,
                       const lapwing_distribution* array, lapwing_tasks* tasks);

#ifdef __cplusplus
}
#endif
#endif
