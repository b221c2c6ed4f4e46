// SPDX-License-Identifier: Apache-2.0
// Fortran entry points that probe, and MPI_Init to MPI_Finalize.
#include "entry/fortran/fortran.hpp"

using lapwing::entry::give;
using lapwing::entry::give_flag;
using lapwing::mpi::fortran_status;

LAPWING_FORTRAN lapwing_fortran_probe(MPI_Fint* rank, MPI_Fint* tag, MPI_Fint* comm, void* status,
                                      MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, MPI_Probe(*rank, *tag, PMPI_Comm_f2c(*comm), fortran_status(status)));
}

LAPWING_FORTRAN lapwing_fortran_iprobe(MPI_Fint* rank, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* flag,
                                       void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  int found = 0;
  const int rc = MPI_Iprobe(*rank, *tag, PMPI_Comm_f2c(*comm), &found, fortran_status(status));
  if (rc == MPI_SUCCESS) give_flag(flag, found);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_mprobe(MPI_Fint* rank, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* message,
                                       void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  MPI_Message m = MPI_MESSAGE_NULL;
  const int rc = MPI_Mprobe(*rank, *tag, PMPI_Comm_f2c(*comm), &m, fortran_status(status));
  if (rc == MPI_SUCCESS) *message = PMPI_Message_c2f(m);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_improbe(MPI_Fint* rank, MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* flag,
                                        MPI_Fint* message, void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  MPI_Message m = MPI_MESSAGE_NULL;
  int found = 0;
  const int rc = MPI_Improbe(*rank, *tag, PMPI_Comm_f2c(*comm), &found, &m, fortran_status(status));
  if (rc == MPI_SUCCESS) {
    give_flag(flag, found);
    if (found) *message = PMPI_Message_c2f(m);
  }
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_init(MPI_Fint* error) { give(error, MPI_Init(nullptr, nullptr)); }

LAPWING_FORTRAN lapwing_fortran_init_thread(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) {
  give(error, MPI_Init_thread(nullptr, nullptr, *required, provided));
}

LAPWING_FORTRAN lapwing_fortran_query_thread(MPI_Fint* provided, MPI_Fint* error) {
  give(error, MPI_Query_thread(provided));
}

LAPWING_FORTRAN lapwing_fortran_finalize(MPI_Fint* error) { give(error, MPI_Finalize()); }

LAPWING_FORTRAN lapwing_fortran_abort(MPI_Fint* comm, MPI_Fint* code, MPI_Fint* error) {
  give(error, MPI_Abort(PMPI_Comm_f2c(*comm), *code));
}
