// SPDX-License-Identifier: Apache-2.0
// Collectives over tasks for the Fortran module lapwing_arrays: handles of MPI are
// integers there.
#include <mpi.h>

#include <cstdio>

#include "entry/p2p/p2p.hpp"
#include "lapwing/arrays.h"
#include "mpi/ending.hpp"

namespace {

// A caller without `ierr` has the program end, with the sentence.
void answer(int error, int* ierr) {
  if (ierr != nullptr) {
    *ierr = error;
  } else if (error != LAPWING_ARRAY_OK) {
    std::fprintf(stderr, "%s\n", lapwing_array_error_string());
    lapwing::mpi::end_job(1);
  }
}

}  // namespace

LAPWING_ENTRY int lapwing_array_reduce_f(const void* send_local, void* recv_local, int64_t elements,
                                         const lapwing_distribution* array, MPI_Fint op, int root,
                                         lapwing_tasks* tasks) {
  return lapwing_array_reduce(send_local, recv_local, elements, array, PMPI_Op_f2c(op), root, tasks);
}

LAPWING_ENTRY int lapwing_array_allreduce_f(const void* send_local, void* recv_local, int64_t elements,
                                            const lapwing_distribution* array, MPI_Fint op,
                                            lapwing_tasks* tasks) {
  return lapwing_array_allreduce(send_local, recv_local, elements, array, PMPI_Op_f2c(op), tasks);
}

LAPWING_ENTRY void lapwing_tasks_bcast_f(void* buffer, int count, MPI_Fint type, int root,
                                         lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_bcast(buffer, count, PMPI_Type_f2c(type), root, *tasks), ierr);
}

LAPWING_ENTRY void lapwing_tasks_reduce_f(const void* send, void* recv, int count, MPI_Fint type, MPI_Fint op,
                                          int root, lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_reduce(send, recv, count, PMPI_Type_f2c(type), PMPI_Op_f2c(op), root, *tasks), ierr);
}

LAPWING_ENTRY void lapwing_tasks_allreduce_f(const void* send, void* recv, int count, MPI_Fint type,
                                             MPI_Fint op, lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_allreduce(send, recv, count, PMPI_Type_f2c(type), PMPI_Op_f2c(op), *tasks), ierr);
}

LAPWING_ENTRY void lapwing_tasks_gather_f(const void* send, void* recv, int count, MPI_Fint type, int root,
                                          lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_gather(send, recv, count, PMPI_Type_f2c(type), root, *tasks), ierr);
}

LAPWING_ENTRY void lapwing_tasks_scatter_f(const void* send, void* recv, int count, MPI_Fint type, int root,
                                           lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_scatter(send, recv, count, PMPI_Type_f2c(type), root, *tasks), ierr);
}

LAPWING_ENTRY void lapwing_tasks_allgather_f(const void* send, void* recv, int count, MPI_Fint type,
                                             lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_allgather(send, recv, count, PMPI_Type_f2c(type), *tasks), ierr);
}

LAPWING_ENTRY void lapwing_tasks_alltoall_f(const void* send, void* recv, int count, MPI_Fint type,
                                            lapwing_tasks* const* tasks, int* ierr) {
  answer(lapwing_tasks_alltoall(send, recv, count, PMPI_Type_f2c(type), *tasks), ierr);
}
