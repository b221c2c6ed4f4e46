// SPDX-License-Identifier: Apache-2.0
// Fortran entry points that send and receive.
#include "entry/fortran/fortran.hpp"

using lapwing::entry::buffer;
using lapwing::entry::give;
using lapwing::mpi::fortran_status;

#define FORTRAN_BLOCKING_SEND(NAME, FUNCTION)                                                             \
  LAPWING_FORTRAN lapwing_fortran_##NAME(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* rank,     \
                                         MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* error) {                \
    LAPWING_NOTE_CALLER();                                                                                \
    give(error, FUNCTION(buffer(data), *count, PMPI_Type_f2c(*type), *rank, *tag, PMPI_Comm_f2c(*comm))); \
  }

// Also receives and persistent requests: the same arguments.
#define FORTRAN_NON_BLOCKING(NAME, FUNCTION)                                                          \
  LAPWING_FORTRAN lapwing_fortran_##NAME(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* rank, \
                                         MPI_Fint* tag, MPI_Fint* comm, MPI_Fint* request,            \
                                         MPI_Fint* error) {                                           \
    LAPWING_NOTE_CALLER();                                                                            \
    MPI_Request r = MPI_REQUEST_NULL;                                                                 \
    const int rc =                                                                                    \
        FUNCTION(buffer(data), *count, PMPI_Type_f2c(*type), *rank, *tag, PMPI_Comm_f2c(*comm), &r);  \
    if (rc == MPI_SUCCESS) *request = PMPI_Request_c2f(r);                                            \
    give(error, rc);                                                                                  \
  }

FORTRAN_BLOCKING_SEND(send, MPI_Send)
FORTRAN_BLOCKING_SEND(ssend, MPI_Ssend)
FORTRAN_BLOCKING_SEND(rsend, MPI_Rsend)
FORTRAN_BLOCKING_SEND(bsend, MPI_Bsend)
FORTRAN_NON_BLOCKING(isend, MPI_Isend)
FORTRAN_NON_BLOCKING(issend, MPI_Issend)
FORTRAN_NON_BLOCKING(irsend, MPI_Irsend)
FORTRAN_NON_BLOCKING(ibsend, MPI_Ibsend)
FORTRAN_NON_BLOCKING(send_init, MPI_Send_init)
FORTRAN_NON_BLOCKING(ssend_init, MPI_Ssend_init)
FORTRAN_NON_BLOCKING(rsend_init, MPI_Rsend_init)
FORTRAN_NON_BLOCKING(bsend_init, MPI_Bsend_init)
FORTRAN_NON_BLOCKING(irecv, MPI_Irecv)
FORTRAN_NON_BLOCKING(recv_init, MPI_Recv_init)

LAPWING_FORTRAN lapwing_fortran_recv(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* rank,
                                     MPI_Fint* tag, MPI_Fint* comm, void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, MPI_Recv(buffer(data), *count, PMPI_Type_f2c(*type), *rank, *tag, PMPI_Comm_f2c(*comm),
                       fortran_status(status)));
}

LAPWING_FORTRAN lapwing_fortran_sendrecv(void* send, MPI_Fint* send_count, MPI_Fint* send_type, MPI_Fint* to,
                                         MPI_Fint* send_tag, void* receive, MPI_Fint* receive_count,
                                         MPI_Fint* receive_type, MPI_Fint* from, MPI_Fint* receive_tag,
                                         MPI_Fint* comm, void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, MPI_Sendrecv(buffer(send), *send_count, PMPI_Type_f2c(*send_type), *to, *send_tag,
                           buffer(receive), *receive_count, PMPI_Type_f2c(*receive_type), *from, *receive_tag,
                           PMPI_Comm_f2c(*comm), fortran_status(status)));
}

LAPWING_FORTRAN lapwing_fortran_sendrecv_replace(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* to,
                                                 MPI_Fint* send_tag, MPI_Fint* from, MPI_Fint* receive_tag,
                                                 MPI_Fint* comm, void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  give(error, MPI_Sendrecv_replace(buffer(data), *count, PMPI_Type_f2c(*type), *to, *send_tag, *from,
                                   *receive_tag, PMPI_Comm_f2c(*comm), fortran_status(status)));
}

LAPWING_FORTRAN lapwing_fortran_mrecv(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* message,
                                      void* status, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  MPI_Message m = PMPI_Message_f2c(*message);
  const int rc = MPI_Mrecv(buffer(data), *count, PMPI_Type_f2c(*type), &m, fortran_status(status));
  if (rc == MPI_SUCCESS) *message = PMPI_Message_c2f(m);
  give(error, rc);
}

LAPWING_FORTRAN lapwing_fortran_imrecv(void* data, MPI_Fint* count, MPI_Fint* type, MPI_Fint* message,
                                       MPI_Fint* request, MPI_Fint* error) {
  LAPWING_NOTE_CALLER();
  MPI_Message m = PMPI_Message_f2c(*message);
  MPI_Request r = MPI_REQUEST_NULL;
  const int rc = MPI_Imrecv(buffer(data), *count, PMPI_Type_f2c(*type), &m, &r);
  if (rc == MPI_SUCCESS) {
    *request = PMPI_Request_c2f(r);
    *message = PMPI_Message_c2f(m);
  }
  give(error, rc);
}
