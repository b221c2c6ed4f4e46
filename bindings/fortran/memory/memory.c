/* SPDX-License-Identifier: Apache-2.0
 *
 * Behind the module lapwing_memory: handles of Fortran's, and errors where the caller wants to have them.
 */
#define _GNU_SOURCE /* for the places of calls, which have no line here */
#include "lapwing/memory.h"

#define PLACE(routine) \
  { routine, NULL, 0, __builtin_return_address(0) }
#define ENTRY __attribute__((noinline)) void

static void give(MPI_Fint* ierr, int rc) {
  if (ierr) *ierr = rc;
}

ENTRY lapwing_memory_allocate_f(size_t bytes, MPI_Fint comm, void** base, MPI_Fint* window, MPI_Fint* ierr);
ENTRY lapwing_memory_free_f(MPI_Fint* window, MPI_Fint* ierr);
ENTRY lapwing_memory_barrier_f(MPI_Fint window, MPI_Fint comm, MPI_Fint* ierr);
ENTRY lapwing_memget_f(void* destination, MPI_Aint displacement, MPI_Fint target, size_t bytes,
                       MPI_Fint window, MPI_Fint* ierr);
ENTRY lapwing_memput_f(MPI_Aint displacement, MPI_Fint target, void* source, size_t bytes, MPI_Fint window,
                       MPI_Fint* ierr);
ENTRY lapwing_memget_nb_f(void* destination, MPI_Aint displacement, MPI_Fint target, size_t bytes,
                          MPI_Fint window, lapwing_memory_handle** handle, MPI_Fint* ierr);
ENTRY lapwing_memput_nb_f(MPI_Aint displacement, MPI_Fint target, void* source, size_t bytes, MPI_Fint window,
                          lapwing_memory_handle** handle, MPI_Fint* ierr);
ENTRY lapwing_memory_wait_f(lapwing_memory_handle** handle, MPI_Fint* ierr);
ENTRY lapwing_memory_try_f(lapwing_memory_handle** handle, MPI_Fint* done, MPI_Fint* ierr);

ENTRY lapwing_memory_allocate_f(size_t bytes, MPI_Fint comm, void** base, MPI_Fint* window, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memory_allocate");
  MPI_Win made = MPI_WIN_NULL;
  *base = NULL;
  give(ierr, lapwing_memory_make(&place, bytes, MPI_Comm_f2c(comm), base, &made));
  *window = MPI_Win_c2f(made);
}

ENTRY lapwing_memory_free_f(MPI_Fint* window, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memory_free");
  MPI_Win freed = MPI_Win_f2c(*window);
  give(ierr, lapwing_memory_end(&place, &freed));
  *window = MPI_Win_c2f(freed);
}

ENTRY lapwing_memory_barrier_f(MPI_Fint window, MPI_Fint comm, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memory_barrier");
  give(ierr, lapwing_memory_order(&place, MPI_Win_f2c(window), MPI_Comm_f2c(comm)));
}

ENTRY lapwing_memget_f(void* destination, MPI_Aint displacement, MPI_Fint target, size_t bytes,
                       MPI_Fint window, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memget");
  give(ierr, lapwing_memory_access(&place, 0, destination, displacement, target, bytes, MPI_Win_f2c(window)));
}

ENTRY lapwing_memput_f(MPI_Aint displacement, MPI_Fint target, void* source, size_t bytes, MPI_Fint window,
                       MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memput");
  give(ierr, lapwing_memory_access(&place, 1, source, displacement, target, bytes, MPI_Win_f2c(window)));
}

/* The size of a handle differs between MPIs: Fortran's is a pointer to one, null where nothing is pending. */
static int start(const struct lapwing_memory_place* place, int puts, void* local, MPI_Aint displacement,
                 int target, size_t bytes, MPI_Fint window, lapwing_memory_handle** handle) {
  const MPI_Win win = MPI_Win_f2c(window);
  *handle = malloc(sizeof **handle);
  if (!*handle) return lapwing_memory_refuse(place, win, MPI_ERR_NO_MEM, "there is no memory left");
  const int rc = lapwing_memory_start(place, puts, local, displacement, target, bytes, win, *handle);
  if ((*handle)->pieces > 0) return rc;
  free(*handle);
  *handle = NULL;
  return rc;
}

static int complete(const struct lapwing_memory_place* place, lapwing_memory_handle** handle, int* done) {
  if (done) *done = 1;
  if (!*handle) return MPI_SUCCESS;
  const int rc = lapwing_memory_complete(place, *handle, done);
  if (done && !*done) return rc;
  free(*handle);
  *handle = NULL;
  return rc;
}

ENTRY lapwing_memget_nb_f(void* destination, MPI_Aint displacement, MPI_Fint target, size_t bytes,
                          MPI_Fint window, lapwing_memory_handle** handle, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memget_nb");
  give(ierr, start(&place, 0, destination, displacement, target, bytes, window, handle));
}

ENTRY lapwing_memput_nb_f(MPI_Aint displacement, MPI_Fint target, void* source, size_t bytes, MPI_Fint window,
                          lapwing_memory_handle** handle, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memput_nb");
  give(ierr, start(&place, 1, source, displacement, target, bytes, window, handle));
}

ENTRY lapwing_memory_wait_f(lapwing_memory_handle** handle, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memory_wait");
  give(ierr, complete(&place, handle, NULL));
}

ENTRY lapwing_memory_try_f(lapwing_memory_handle** handle, MPI_Fint* done, MPI_Fint* ierr) {
  const struct lapwing_memory_place place = PLACE("lapwing_memory_try");
  int ended = 0;
  give(ierr, complete(&place, handle, &ended));
  *done = ended;
}
