/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls behind lapwing/memory.h, which includes it: a few calls of MPI's each.
 *
 * They stand in a header, so that a program needs nothing but its MPI. The functions are not inlined: the
 * place that called one is the call site of the MPI calls in it, and Lapwing, where it is there, hears of it.
 */
#ifndef LAPWING_MEMORY_CALLS_H
#define LAPWING_MEMORY_CALLS_H

#include "lapwing/memory_windows.h"

/* Counts of MPI's are ints. A program may choose smaller pieces. */
#ifndef LAPWING_MEMORY_PIECE
#define LAPWING_MEMORY_PIECE ((size_t)1 << 30)
#endif

#define LAPWING_MEMORY_CALL static __attribute__((noinline, unused))

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of one call of MPI's: whole units of the window. */
static inline size_t lapwing_memory_piece(size_t bytes, size_t unit) {
  size_t most = (size_t)LAPWING_MEMORY_PIECE;
  most = most < unit ? unit : most - most % unit;
  return bytes < most ? bytes : most;
}

static inline int lapwing_memory_access(const struct lapwing_memory_place* place, int puts, void* local,
                                        MPI_Aint displacement, int target, size_t bytes, MPI_Win window) {
  MPI_Aint unit = 1;
  int rc = lapwing_memory_check(place, local, displacement, target, bytes, window, &unit);
  if (rc != MPI_SUCCESS || bytes == 0 || target == MPI_PROC_NULL) return rc;
  lapwing_memory_called_from(place->site);
  for (char* at = (char*)local; rc == MPI_SUCCESS && bytes > 0;) {
    const size_t piece = lapwing_memory_piece(bytes, (size_t)unit);
    rc = puts ? MPI_Put(at, (int)piece, MPI_BYTE, target, displacement / unit, (int)piece, MPI_BYTE, window)
              : MPI_Get(at, (int)piece, MPI_BYTE, target, displacement / unit, (int)piece, MPI_BYTE, window);
    at += piece;
    displacement += (MPI_Aint)piece;
    bytes -= piece;
  }
  const int flushed = MPI_Win_flush(target, window);
  lapwing_memory_called_from(NULL);
  return rc != MPI_SUCCESS ? rc : flushed;
}

/* Completes what is pending: waits for it, or only looks. */
static inline int lapwing_memory_complete(const struct lapwing_memory_place* place,
                                          lapwing_memory_handle* handle, int* done) {
  int rc = MPI_SUCCESS, all = 1;
  lapwing_memory_called_from(place->site);
  for (int left = handle->pieces; left > 0 && all; left = handle->pieces) {
    MPI_Request* const last = handle->many ? handle->many + left - 1 : &handle->one;
    const int ended = done ? MPI_Test(last, &all, MPI_STATUS_IGNORE) : MPI_Wait(last, MPI_STATUS_IGNORE);
    if (ended != MPI_SUCCESS) rc = ended;
    handle->pieces -= all;
  }
  if (all) {
    free(handle->many);
    handle->many = NULL;
    /* The request of a put is complete when its bytes have left. */
    if (handle->puts) {
      const int flushed = MPI_Win_flush(handle->target, handle->window);
      if (rc == MPI_SUCCESS) rc = flushed;
    }
    handle->puts = 0;
  }
  lapwing_memory_called_from(NULL);
  if (done) *done = all;
  return rc;
}

static inline int lapwing_memory_start(const struct lapwing_memory_place* place, int puts, void* local,
                                       MPI_Aint displacement, int target, size_t bytes, MPI_Win window,
                                       lapwing_memory_handle* handle) {
  const lapwing_memory_handle nothing = LAPWING_MEMORY_HANDLE_NULL;
  MPI_Aint unit = 1;
  *handle = nothing;
  int rc = lapwing_memory_check(place, local, displacement, target, bytes, window, &unit);
  if (rc != MPI_SUCCESS || bytes == 0 || target == MPI_PROC_NULL) return rc;
  handle->window = window;
  handle->target = target;
  handle->puts = puts;
  const size_t most = lapwing_memory_piece(bytes, (size_t)unit), pieces = (bytes - 1) / most + 1;
  if (pieces > 1) {
    handle->many = (MPI_Request*)malloc(pieces * sizeof(MPI_Request));
    if (pieces > INT_MAX || !handle->many) {
      free(handle->many);
      handle->many = NULL;
      return lapwing_memory_refuse(place, window, MPI_ERR_NO_MEM, "there is no memory for %zu requests",
                                   pieces);
    }
  }
  lapwing_memory_called_from(place->site);
  for (char* at = (char*)local; rc == MPI_SUCCESS && bytes > 0;) {
    const size_t piece = bytes < most ? bytes : most;
    MPI_Request* const request = handle->many ? handle->many + handle->pieces : &handle->one;
    rc = puts ? MPI_Rput(at, (int)piece, MPI_BYTE, target, displacement / unit, (int)piece, MPI_BYTE, window,
                         request)
              : MPI_Rget(at, (int)piece, MPI_BYTE, target, displacement / unit, (int)piece, MPI_BYTE, window,
                         request);
    handle->pieces += rc == MPI_SUCCESS;
    at += piece;
    displacement += (MPI_Aint)piece;
    bytes -= piece;
  }
  lapwing_memory_called_from(NULL);
  if (rc != MPI_SUCCESS) lapwing_memory_complete(place, handle, NULL);
  return rc;
}

LAPWING_MEMORY_CALL int lapwing_memory_allocate_at(size_t bytes, MPI_Comm comm, void* base, MPI_Win* window,
                                                   const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_allocate");
  return lapwing_memory_make(&place, bytes, comm, base, window);
}

LAPWING_MEMORY_CALL int lapwing_memory_free_at(MPI_Win* window, const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_free");
  return lapwing_memory_end(&place, window);
}

LAPWING_MEMORY_CALL int lapwing_memget_at(void* destination, MPI_Aint displacement, int target, size_t bytes,
                                          MPI_Win window, const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memget");
  return lapwing_memory_access(&place, 0, destination, displacement, target, bytes, window);
}

LAPWING_MEMORY_CALL int lapwing_memput_at(MPI_Aint displacement, int target, const void* source, size_t bytes,
                                          MPI_Win window, const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memput");
  return lapwing_memory_access(&place, 1, (void*)source, displacement, target, bytes, window);
}

LAPWING_MEMORY_CALL int lapwing_memget_nb_at(void* destination, MPI_Aint displacement, int target,
                                             size_t bytes, MPI_Win window, lapwing_memory_handle* handle,
                                             const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memget_nb");
  return lapwing_memory_start(&place, 0, destination, displacement, target, bytes, window, handle);
}

LAPWING_MEMORY_CALL int lapwing_memput_nb_at(MPI_Aint displacement, int target, const void* source,
                                             size_t bytes, MPI_Win window, lapwing_memory_handle* handle,
                                             const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memput_nb");
  return lapwing_memory_start(&place, 1, (void*)source, displacement, target, bytes, window, handle);
}

LAPWING_MEMORY_CALL int lapwing_memory_wait_at(lapwing_memory_handle* handle, const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_wait");
  return lapwing_memory_complete(&place, handle, NULL);
}

LAPWING_MEMORY_CALL int lapwing_memory_try_at(lapwing_memory_handle* handle, int* done, const char* file,
                                              int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_try");
  return lapwing_memory_complete(&place, handle, done);
}

LAPWING_MEMORY_CALL int lapwing_memory_barrier_at(MPI_Win window, MPI_Comm comm, const char* file, int line) {
  const struct lapwing_memory_place place = LAPWING_MEMORY_PLACE("lapwing_memory_barrier");
  return lapwing_memory_order(&place, window, comm);
}

#ifdef __cplusplus
}
#endif
#endif
