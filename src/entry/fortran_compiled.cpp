// SPDX-License-Identifier: Apache-2.0
// What compiled Fortran calls: the same starts, handles as integers.
#include "entry/compiled.hpp"
#include "entry/fortran.hpp"
#include "transfer/proved.hpp"

using lapwing::entry::buffer;
using lapwing::entry::give;
using lapwing::entry::Receiving;
using lapwing::entry::Sending;
using lapwing::mpi::fortran_status;
using lapwing::transfer::Proved;
using Kind = lapwing::transfer::SendArguments::Kind;

#define START_SEND(NAME, CALL, KIND, HOW)                                                                   \
  LAPWING_ENTRY lapwing_token* NAME(void* data, MPI_Fint count, MPI_Fint type, MPI_Fint dest, MPI_Fint tag, \
                                    MPI_Fint comm, MPI_Fint* error) {                                       \
    int rc = MPI_SUCCESS;                                                                                   \
    lapwing_token* token =                                                                                  \
        lapwing::entry::start_send({buffer(data), count, PMPI_Type_f2c(type), dest, tag,                    \
                                    PMPI_Comm_f2c(comm), LAPWING_CALLER(CALL), KIND, false, true},          \
                                   HOW, &rc);                                                               \
    give(error, rc);                                                                                        \
    return token;                                                                                           \
  }

#define START_RECEIVE(NAME, HOW)                                                                      \
  LAPWING_ENTRY lapwing_token* NAME(void* data, MPI_Fint count, MPI_Fint type, MPI_Fint source,       \
                                    MPI_Fint tag, MPI_Fint comm, MPI_Fint* status, MPI_Fint* error) { \
    int rc = MPI_SUCCESS;                                                                             \
    lapwing_token* token =                                                                            \
        lapwing::entry::start_receive({buffer(data), count, PMPI_Type_f2c(type), source, tag,         \
                                       PMPI_Comm_f2c(comm), LAPWING_CALLER("MPI_Recv"), false, true}, \
                                      HOW, fortran_status(status), &rc);                              \
    give(error, rc);                                                                                  \
    return token;                                                                                     \
  }

START_SEND(lapwing_start_send_, "MPI_Send", Kind::standard, Sending::now)
START_SEND(lapwing_start_ssend_, "MPI_Ssend", Kind::synchronous, Sending::now)
START_SEND(lapwing_post_send_, "MPI_Send", Kind::standard, Sending::early)
START_SEND(lapwing_post_ssend_, "MPI_Ssend", Kind::synchronous, Sending::early)
START_SEND(lapwing_pair_send_, "MPI_Sendrecv", Kind::standard, Sending::paired)
START_SEND(lapwing_pair_copy_, "MPI_Sendrecv_replace", Kind::standard, Sending::paired_copy)
START_RECEIVE(lapwing_start_recv_, Receiving::now)
START_RECEIVE(lapwing_start_recv_matched_, Receiving::matched)
START_RECEIVE(lapwing_post_recv_, Receiving::early)
START_RECEIVE(lapwing_pair_recv_, Receiving::paired)
START_RECEIVE(lapwing_pair_recv_matched_, Receiving::paired_matched)

LAPWING_ENTRY int lapwing_may_split_(MPI_Fint count, MPI_Fint type, MPI_Fint peer, MPI_Fint comm) {
  return lapwing::entry::may_split(count, PMPI_Type_f2c(type), peer, PMPI_Comm_f2c(comm));
}

LAPWING_ENTRY int lapwing_may_sink_(MPI_Fint comm) {
  return lapwing::entry::may_sink(comm < 0 ? MPI_COMM_NULL : PMPI_Comm_f2c(comm));
}

// Only counted: the handles are looked up, never used.
static void defer(MPI_Fint count, const MPI_Fint* requests, bool receives) {
  for (MPI_Fint i = 0; i < count; ++i) {
    const MPI_Request request = PMPI_Request_f2c(requests[i]);
    Proved::defer(1, &request, receives);
  }
}

LAPWING_ENTRY void lapwing_defer_(MPI_Fint count, const MPI_Fint* requests) { defer(count, requests, false); }

LAPWING_ENTRY void lapwing_defer_receives_(MPI_Fint count, const MPI_Fint* requests) {
  defer(count, requests, true);
}

LAPWING_ENTRY void lapwing_retire_(MPI_Fint count, const MPI_Fint* requests) {
  for (MPI_Fint i = 0; i < count; ++i) {
    const MPI_Request request = PMPI_Request_f2c(requests[i]);
    Proved::retire(1, &request);
  }
}
