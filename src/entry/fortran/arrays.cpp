// SPDX-License-Identifier: Apache-2.0
// Tasks for the Fortran module lapwing_arrays: the calls of the C API that take
// handles of MPI, which are integers there.
#include <mpi.h>

#include "entry/p2p/p2p.hpp"
#include "lapwing/arrays.h"

LAPWING_ENTRY int lapwing_tasks_create_f(MPI_Fint comm, int task, lapwing_tasks** out) {
  return lapwing_tasks_create(PMPI_Comm_f2c(comm), task, out);
}

LAPWING_ENTRY int lapwing_tasks_of_sizes_f(MPI_Fint comm, int tasks, const int* sizes, lapwing_tasks** out) {
  return lapwing_tasks_of_sizes(PMPI_Comm_f2c(comm), tasks, sizes, out);
}

LAPWING_ENTRY MPI_Fint lapwing_tasks_comm_f(const lapwing_tasks* tasks) {
  return PMPI_Comm_c2f(lapwing_tasks_comm(tasks));
}
