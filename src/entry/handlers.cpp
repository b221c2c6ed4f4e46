// SPDX-License-Identifier: Apache-2.0
// Setting a communicator's error handler, and asking for it: the engine may have put its own in its place for
// the moment (mpi/looks.hpp).
#include "entry/p2p/p2p.hpp"
#include "mpi/looks.hpp"
#include "transfer/retire.hpp"

LAPWING_ENTRY int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return lapwing::mpi::set_error_handler(comm, handler);
}

LAPWING_ENTRY int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
  lapwing::transfer::clear_way(handler);
  return lapwing::mpi::get_error_handler(comm, handler);
}

// Their names in MPI 1; a header may have a macro of that name that refuses them.
LAPWING_ENTRY int(MPI_Errhandler_set)(MPI_Comm comm, MPI_Errhandler handler) {
  return lapwing::mpi::set_error_handler(comm, handler);
}

LAPWING_ENTRY int(MPI_Errhandler_get)(MPI_Comm comm, MPI_Errhandler* handler) {
  lapwing::transfer::clear_way(handler);
  return lapwing::mpi::get_error_handler(comm, handler);
}
