/* SPDX-License-Identifier: Apache-2.0
 *
 * Behind lapwing/memory.h: what is known of a window, whether a call on it makes sense, and where it was
 * made. Programs include lapwing/memory.h.
 */
#ifndef LAPWING_MEMORY_WINDOWS_H
#define LAPWING_MEMORY_WINDOWS_H

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of the program's. `file` is null in Fortran, where only the address is known. */
struct lapwing_memory_place {
  const char* routine;
  const char* file;
  int line;
  const void* site;
};
#define LAPWING_MEMORY_PLACE(routine) \
  { routine, file, line, __builtin_return_address(0) }

/* One for the whole process, however many files include this one. */
struct lapwing_memory_process {
  int keyval;
  char known, busy;
  void (*called_from)(const void* site); /* null where there is no Lapwing */
};
__attribute__((weak, visibility("default"))) struct lapwing_memory_process lapwing_memory_process_ = {
    MPI_KEYVAL_INVALID, 0, 0, NULL};

/* Hangs at each window that is used. */
struct lapwing_memory_window {
  MPI_Aint unit;
  int members;
  MPI_Aint bytes; /* of each member's memory; -1: see `each` */
  MPI_Aint* each; /* null where it is not known */
};

static inline void lapwing_memory_drop(struct lapwing_memory_window* known) {
  if (known) free(known->each);
  free(known);
}

static int lapwing_memory_window_freed(MPI_Win window, int keyval, void* value, void* extra) {
  (void)window, (void)keyval, (void)extra;
  lapwing_memory_drop((struct lapwing_memory_window*)value);
  return MPI_SUCCESS;
}

/* Before any other function of this file uses the process' record. */
static inline void lapwing_memory_begin(void) {
  struct lapwing_memory_process* const process = &lapwing_memory_process_;
  if (__atomic_load_n(&process->known, __ATOMIC_ACQUIRE)) return;
  while (__atomic_test_and_set(&process->busy, __ATOMIC_ACQUIRE)) sched_yield();
  if (!process->known) {
    *(void**)(&process->called_from) = dlsym((void*)0, "lapwing_called_from"); /* RTLD_DEFAULT */
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, lapwing_memory_window_freed, &process->keyval, NULL);
    __atomic_store_n(&process->known, 1, __ATOMIC_RELEASE);
  }
  __atomic_clear(&process->busy, __ATOMIC_RELEASE);
}

/* The calls of MPI's that follow are made for this place of the program; null: no longer. */
static inline void lapwing_memory_called_from(const void* site) {
  if (lapwing_memory_process_.called_from) lapwing_memory_process_.called_from(site);
}

/* Says what is wrong, and leaves the rest to the error handler of the window. */
__attribute__((format(printf, 4, 5))) static inline int lapwing_memory_refuse(
    const struct lapwing_memory_place* place, MPI_Win window, int error, const char* format, ...) {
  char why[400], where[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(why, sizeof why, format, arguments);
  va_end(arguments);
  if (place->file)
    snprintf(where, sizeof where, "%s:%d", place->file, place->line);
  else
    snprintf(where, sizeof where, "%p", place->site);
#ifdef _GNU_SOURCE
  Dl_info info;
  if (!place->file && dladdr(place->site, &info) && info.dli_fname)
    snprintf(where, sizeof where, "%s+0x%zx", info.dli_fname,
             (size_t)((const char*)place->site - (const char*)info.dli_fbase));
#endif
  fprintf(stderr, "lapwing: %s at %s: %s.\n", place->routine, where, why);
  if (window == MPI_WIN_NULL)
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, error);
  else
    MPI_Win_call_errhandler(window, error);
  return error;
}

/* Of a window that is used for the first time, or has just been made. */
static inline struct lapwing_memory_window* lapwing_memory_look_at(MPI_Win window) {
  struct lapwing_memory_window* const known =
      (struct lapwing_memory_window*)calloc(1, sizeof(struct lapwing_memory_window));
  if (!known) return NULL;
  int* unit = NULL;
  int found = 0;
  MPI_Win_get_attr(window, MPI_WIN_DISP_UNIT, (void*)&unit, &found);
  known->unit = found && *unit > 0 ? *unit : 1;
  known->bytes = -1;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Win_get_group(window, &group);
  MPI_Group_size(group, &known->members);
  MPI_Group_free(&group);
  return known;
}

static inline const struct lapwing_memory_window* lapwing_memory_known(MPI_Win window) {
  struct lapwing_memory_process* const process = &lapwing_memory_process_;
  void* value = NULL;
  int found = 0;
  lapwing_memory_begin();
  MPI_Win_get_attr(window, process->keyval, (void*)&value, &found);
  if (found) return (const struct lapwing_memory_window*)value;
  while (__atomic_test_and_set(&process->busy, __ATOMIC_ACQUIRE)) sched_yield();
  MPI_Win_get_attr(window, process->keyval, (void*)&value, &found); /* another thread's? */
  if (!found && (value = lapwing_memory_look_at(window))) MPI_Win_set_attr(window, process->keyval, value);
  __atomic_clear(&process->busy, __ATOMIC_RELEASE);
  return (const struct lapwing_memory_window*)value;
}

/* Whether such an access makes sense. */
static inline int lapwing_memory_check(const struct lapwing_memory_place* place, const void* local,
                                       MPI_Aint displacement, int target, size_t bytes, MPI_Win window,
                                       MPI_Aint* unit) {
  if (window == MPI_WIN_NULL) return lapwing_memory_refuse(place, window, MPI_ERR_WIN, "the window is null");
  if (target == MPI_PROC_NULL) return MPI_SUCCESS;
  const struct lapwing_memory_window* const known = lapwing_memory_known(window);
  if (!known) return lapwing_memory_refuse(place, window, MPI_ERR_NO_MEM, "there is no memory left");
  *unit = known->unit;
  if (target < 0 || target >= known->members)
    return lapwing_memory_refuse(place, window, MPI_ERR_RANK,
                                 "there is no process %d in a window of %d processes", target,
                                 known->members);
  const MPI_Aint size = known->each ? known->each[target] : known->bytes;
  const MPI_Aint end = size >= 0 ? size : PTRDIFF_MAX;
  if (displacement < 0 || displacement > end || bytes > (size_t)(end - displacement))
    return lapwing_memory_refuse(place, window, MPI_ERR_DISP,
                                 "%zu bytes from byte %lld on are not all in process %d's memory%s", bytes,
                                 (long long)displacement, target, size >= 0 ? ", which ends before" : "");
  if (displacement % known->unit != 0)
    return lapwing_memory_refuse(place, window, MPI_ERR_DISP,
                                 "byte %lld is no multiple of %lld, the unit in which the window counts",
                                 (long long)displacement, (long long)known->unit);
  if (!local && bytes > 0)
    return lapwing_memory_refuse(place, window, MPI_ERR_BUFFER,
                                 "%zu bytes of the caller's memory are at a null pointer", bytes);
  return MPI_SUCCESS;
}

/* Notes how much memory each member of a new window has. */
static inline int lapwing_memory_compare(const struct lapwing_memory_place* place, MPI_Aint bytes,
                                         MPI_Comm comm, MPI_Win window) {
  long long least[2] = {bytes, -(long long)bytes};
  int rc = MPI_Allreduce(MPI_IN_PLACE, least, 2, MPI_LONG_LONG, MPI_MIN, comm);
  if (rc != MPI_SUCCESS) return rc;
  struct lapwing_memory_window* const known = lapwing_memory_look_at(window);
  const int same = least[0] == -least[1];
  if (known && !same) known->each = (MPI_Aint*)malloc((size_t)known->members * sizeof(MPI_Aint));
  if (!known || (!same && !known->each)) {
    lapwing_memory_drop(known);
    return lapwing_memory_refuse(place, window, MPI_ERR_NO_MEM, "there is no memory left");
  }
  if (same)
    known->bytes = bytes;
  else
    rc = MPI_Allgather(&bytes, 1, MPI_AINT, known->each, 1, MPI_AINT, comm);
  return rc == MPI_SUCCESS ? MPI_Win_set_attr(window, lapwing_memory_process_.keyval, known) : rc;
}

static inline int lapwing_memory_make(const struct lapwing_memory_place* place, size_t bytes, MPI_Comm comm,
                                      void* base, MPI_Win* window) {
  *window = MPI_WIN_NULL;
  if (comm == MPI_COMM_NULL)
    return lapwing_memory_refuse(place, *window, MPI_ERR_COMM, "the communicator is null");
  if (bytes > (size_t)PTRDIFF_MAX)
    return lapwing_memory_refuse(place, *window, MPI_ERR_SIZE, "no process has %zu bytes of memory", bytes);
  lapwing_memory_begin();
  lapwing_memory_called_from(place->site);
  int rc = MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, comm, base, window);
  if (rc == MPI_SUCCESS) rc = lapwing_memory_compare(place, (MPI_Aint)bytes, comm, *window);
  if (rc == MPI_SUCCESS) rc = MPI_Win_lock_all(MPI_MODE_NOCHECK, *window);
  lapwing_memory_called_from(NULL);
  return rc;
}

static inline int lapwing_memory_end(const struct lapwing_memory_place* place, MPI_Win* window) {
  if (*window == MPI_WIN_NULL)
    return lapwing_memory_refuse(place, *window, MPI_ERR_WIN, "the window is null");
  lapwing_memory_begin();
  lapwing_memory_called_from(place->site);
  int rc = MPI_Win_unlock_all(*window);
  if (rc == MPI_SUCCESS) rc = MPI_Win_free(window);
  lapwing_memory_called_from(NULL);
  return rc;
}

static inline int lapwing_memory_order(const struct lapwing_memory_place* place, MPI_Win window,
                                       MPI_Comm comm) {
  if (window == MPI_WIN_NULL) return lapwing_memory_refuse(place, window, MPI_ERR_WIN, "the window is null");
  lapwing_memory_begin();
  lapwing_memory_called_from(place->site);
  int rc = MPI_Win_sync(window); /* own writes, for processes that read them by MPI */
  if (rc == MPI_SUCCESS) rc = MPI_Barrier(comm);
  if (rc == MPI_SUCCESS) rc = MPI_Win_sync(window); /* what other processes have written, for this one */
  lapwing_memory_called_from(NULL);
  return rc;
}

#ifdef __cplusplus
}
#endif
#endif
