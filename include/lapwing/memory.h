/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of other processes, read and written in bulk: UPC's upc_memget and upc_memput for MPI programs
 * (HUNT, sections 3 and 5.5), with Berkeley UPC's forms that do not block.
 *
 *   double *mine;
 *   MPI_Win window;
 *   lapwing_memory_allocate(n * sizeof(double), MPI_COMM_WORLD, &mine, &window);
 *   for (int i = 0; i < n; ++i) mine[i] = ...;
 *   lapwing_memory_barrier(window, MPI_COMM_WORLD);
 *   lapwing_memget(copy, 0, neighbour, n * sizeof(double), window);
 *   for (int i = 0; i < n; ++i) ... copy[i] ...
 *   lapwing_memory_free(&window);
 *
 * Nothing need be linked: the calls are those of MPI 3. They have their meaning without Lapwing, too. Under
 * `lapwing run --one-sided=on` (LAPWING_ONE_SIDED=on) a blocking get returns before its bytes have come, and
 * these arrive while the program computes with those that are there.
 *
 * A call names a window, a process of its group, the bytes from the beginning of that process' memory, the
 * caller's own memory, and how many bytes, which may be more than 2^31. The window is in an epoch of
 * MPI_Win_lock_all, as those of lapwing_memory_allocate() are; it may be one of the program's own, if its
 * members count displacements in the same unit and the bytes are a multiple of it. MPI_PROC_NULL: nothing
 * happens.
 *
 * In UPC's words accesses are relaxed, so other processes may see them in any order; the caller sees its own
 * blocking ones in the order of the program. lapwing_memory_barrier() orders all.
 *
 * Functions return MPI_SUCCESS or MPI's error, which goes to the error handler of the window first (by
 * default it ends the job). Arguments that make no sense are said on stderr with file and line. Calls may be
 * made by any thread that may call MPI.
 */
#ifndef LAPWING_MEMORY_H
#define LAPWING_MEMORY_H

#include <mpi.h>
#include <stddef.h>

/** An access that has been started; LAPWING_MEMORY_HANDLE_NULL and handles that were waited for hold none. */
typedef struct lapwing_memory_handle {
  int pieces; /**< 0: nothing is pending */
  MPI_Request one;
  MPI_Request* many; /**< of more than one piece */
  MPI_Win window;
  int target;
  int puts;
} lapwing_memory_handle;
#define LAPWING_MEMORY_HANDLE_NULL \
  { 0, MPI_REQUEST_NULL, NULL, MPI_WIN_NULL, MPI_PROC_NULL, 0 }

/** Memory of `bytes` bytes, which may differ between processes, at `*base` (`base` is the address of a
 * pointer of any type), and a window of it on which the calls below can be made at once. Collective over
 * `comm`. */
#define lapwing_memory_allocate(bytes, comm, base, window) \
  lapwing_memory_allocate_at(bytes, comm, base, window, __FILE__, __LINE__)
/** Frees the window and its memory. Handles have been waited for. Collective. */
#define lapwing_memory_free(window) lapwing_memory_free_at(window, __FILE__, __LINE__)

/** Copies `bytes` bytes from `displacement` on of `target`'s memory to `destination`. They can be used when
 * it returns. */
#define lapwing_memget(destination, displacement, target, bytes, window) \
  lapwing_memget_at(destination, displacement, target, bytes, window, __FILE__, __LINE__)
/** Copies `bytes` bytes at `source` to the memory of `target`. When it returns they are there, and `source`
 *  may be changed. */
#define lapwing_memput(displacement, target, source, bytes, window) \
  lapwing_memput_at(displacement, target, source, bytes, window, __FILE__, __LINE__)

/** The same, started only. Until the handle has been waited for, nobody changes the memory that is read, and
 *  nobody uses the memory that is written. `*handle` need hold nothing before. */
#define lapwing_memget_nb(destination, displacement, target, bytes, window, handle) \
  lapwing_memget_nb_at(destination, displacement, target, bytes, window, handle, __FILE__, __LINE__)
#define lapwing_memput_nb(displacement, target, source, bytes, window, handle) \
  lapwing_memput_nb_at(displacement, target, source, bytes, window, handle, __FILE__, __LINE__)
/** Returns once the access is complete, that of a put at its target. The handle then holds none. */
#define lapwing_memory_wait(handle) lapwing_memory_wait_at(handle, __FILE__, __LINE__)
/** `*done` is whether it is; then as after a wait. Does not wait for the transfer; when the bytes of a put
 *  have left, it waits for the word that they have arrived. */
#define lapwing_memory_try(handle, done) lapwing_memory_try_at(handle, done, __FILE__, __LINE__)

/** UPC's barrier: all that members of `comm`, the communicator of the window, have written before it to
 * memory of the window, their own included, is seen by all after it. Accesses that are started only need
 * their wait as well. Collective. */
#define lapwing_memory_barrier(window, comm) lapwing_memory_barrier_at(window, comm, __FILE__, __LINE__)

#include "lapwing/memory_calls.h"

#endif
