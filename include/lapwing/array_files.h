/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 8 of 9: arrays in files.
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

/** The same as a dataset of an HDF5 file: `dataset` is its name there ("field", "run1/field"). Its file and
 * its groups are made where there are none; a dataset that is there keeps its place, where it has the array's
 * shape and type in one run of bytes. Elements are HDF5's native numbers, complex ones pairs of r and i as
 * h5py has them. HDF5 has C's order: of a LAPWING_COLUMN_MAJOR array the dimensions are turned round, as by
 * HDF5's Fortran interface. The serial HDF5 does, 1.10 or later: the program's, where it is linked with it,
 * or the system's; only the task's first process calls it. Lapwing is built without HDF5; where there is none
 * the call is an error that says so (LAPWING_ARRAY_ERR_STATE). Else as lapwing_array_write(). */
int lapwing_array_write_hdf5(const char* path, const char* dataset, const void* local, int64_t elements,
                             const lapwing_distribution* array, lapwing_tasks* tasks);

/** Reads a dataset of the array's shape (of a section, of the section's). All processes read where it lies in
 * one run of bytes of the array's type; what lies in chunks, is compressed or has another type is read, and
 * converted, by the first process, which hands it on in rounds of 16 MiB. */
int lapwing_array_read_hdf5(const char* path, const char* dataset, void* local, int64_t elements,
                            const lapwing_distribution* array, lapwing_tasks* tasks);

#ifdef __cplusplus
}
#endif
#endif
