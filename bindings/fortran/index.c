/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI_Waitany and MPI_Testany for mpi_f08. MPICH 4.0 counts from one by adding
 * one, also to MPI_UNDEFINED; no request can have the index that comes of it.
 */
#include <mpi.h>

#define LAPWING_INDEX(waitany, testany, shim_waitany, shim_testany)                                 \
  void waitany(void*, void*, MPI_Fint*, void*, MPI_Fint*);                                          \
  void testany(void*, void*, MPI_Fint*, void*, void*, MPI_Fint*);                                   \
  void shim_waitany(void* count, void* requests, MPI_Fint* index, void* status, MPI_Fint* ierror);  \
  void shim_testany(void* count, void* requests, MPI_Fint* index, void* flag, void* status,         \
                    MPI_Fint* ierror);                                                              \
  void shim_waitany(void* count, void* requests, MPI_Fint* index, void* status, MPI_Fint* ierror) { \
    MPI_Fint none;                                                                                  \
    waitany(count, requests, index, status, ierror ? ierror : &none);                               \
    if (*index == MPI_UNDEFINED + 1) *index = MPI_UNDEFINED;                                        \
  }                                                                                                 \
  void shim_testany(void* count, void* requests, MPI_Fint* index, void* flag, void* status,         \
                    MPI_Fint* ierror) {                                                             \
    MPI_Fint none;                                                                                  \
    testany(count, requests, index, flag, status, ierror ? ierror : &none);                         \
    if (*index == MPI_UNDEFINED + 1) *index = MPI_UNDEFINED;                                        \
  }

#ifdef LAPWING_PROFILING
LAPWING_INDEX(pmpi_waitany_, pmpi_testany_, lapwing_pf08_waitany, lapwing_pf08_testany)
#else
LAPWING_INDEX(mpi_waitany_, mpi_testany_, lapwing_f08_waitany, lapwing_f08_testany)
#endif
