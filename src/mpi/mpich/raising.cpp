// SPDX-License-Identifier: Apache-2.0
// MPICH 4.0 and Intel MPI raise all errors of requests in MPI_COMM_WORLD. MPICH 5 raises those of MPI_Wait
// and MPI_Test in the request's own communicator and the rest in MPI_COMM_SELF, if that has a handler.
// Messages of a process to itself do not show the former; that MPICH 5 counts an error as mended by a handler
// of the program's, they do show.
#include <mpi.h>

#include "mpi/mpich/behaviour.hpp"

namespace lapwing::mpi {
namespace {

void mend(MPI_Comm*, int*, ...) {}

}  // namespace

Raising raising{Hearer::elsewhere, Hearer::elsewhere, Hearer::elsewhere, false};

void observe_raising() {
  constexpr int tag = 79;
  int out[2] = {1, 2}, in[2] = {};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler ours = MPI_ERRHANDLER_NULL;
  MPI_Status status;
  // No handler of the program's is touched: one that is set on MPI_COMM_SELF stays for good.
  PMPI_Comm_dup(MPI_COMM_SELF, &comm);
  PMPI_Comm_create_errhandler(mend, &ours);
  PMPI_Comm_set_errhandler(comm, ours);
  raising.heard_is_success =
      PMPI_Sendrecv(out, 2, MPI_INT, 0, tag, in, 1, MPI_INT, 0, tag, comm, &status) == MPI_SUCCESS;
  if (raising.heard_is_success) raising.wait = Hearer::request;
  PMPI_Errhandler_free(&ours);
  PMPI_Comm_free(&comm);
}

}  // namespace lapwing::mpi
