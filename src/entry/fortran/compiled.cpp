// SPDX-License-Identifier: Apache-2.0
// What compiled Fortran calls: the same starts, handles as integers.
#include <memory>

#include "entry/compiled/compiled.hpp"
#include "entry/compiled/verify.hpp"
#include "entry/fortran/fortran.hpp"

using lapwing::entry::buffer;
using lapwing::entry::give;
using lapwing::entry::Receiving;
using lapwing::entry::Sending;
using lapwing::entry::Verify;
using lapwing::mpi::fortran_status;
using SendKind = lapwing::transfer::SendArguments::Kind;

#define FORTRAN_START_SEND(NAME, CALL, KIND, HOW)                                                           \
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

#define FORTRAN_START_RECEIVE(NAME, HOW)                                                              \
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

FORTRAN_START_SEND(lapwing_start_send_, "MPI_Send", SendKind::standard, Sending::now)
FORTRAN_START_SEND(lapwing_start_ssend_, "MPI_Ssend", SendKind::synchronous, Sending::now)
FORTRAN_START_SEND(lapwing_post_send_, "MPI_Send", SendKind::standard, Sending::early)
FORTRAN_START_SEND(lapwing_post_ssend_, "MPI_Ssend", SendKind::synchronous, Sending::early)
FORTRAN_START_SEND(lapwing_pair_send_, "MPI_Sendrecv", SendKind::standard, Sending::paired)
FORTRAN_START_SEND(lapwing_pair_copy_, "MPI_Sendrecv_replace", SendKind::standard, Sending::paired_copy)
FORTRAN_START_RECEIVE(lapwing_start_recv_, Receiving::now)
FORTRAN_START_RECEIVE(lapwing_start_recv_matched_, Receiving::matched)
FORTRAN_START_RECEIVE(lapwing_post_recv_, Receiving::early)
FORTRAN_START_RECEIVE(lapwing_pair_recv_, Receiving::paired)
FORTRAN_START_RECEIVE(lapwing_pair_recv_matched_, Receiving::paired_matched)

LAPWING_ENTRY int lapwing_may_split_(MPI_Fint count, MPI_Fint type, MPI_Fint peer, MPI_Fint comm) {
  return lapwing::entry::may_split(count, PMPI_Type_f2c(type), peer, PMPI_Comm_f2c(comm));
}

LAPWING_ENTRY int lapwing_may_sink_(MPI_Fint comm) {
  return lapwing::entry::may_sink(comm < 0 ? MPI_COMM_NULL : PMPI_Comm_f2c(comm));
}

// The handles are looked up, never used up.
namespace {

class Handles {
 public:
  Handles(MPI_Fint count, const MPI_Fint* given) {
    if (count > few) many_ = std::make_unique<MPI_Request[]>(static_cast<std::size_t>(count));
    handles_ = many_ ? many_.get() : few_;
    for (MPI_Fint i = 0; i < count; ++i) handles_[i] = PMPI_Request_f2c(given[i]);
  }
  const MPI_Request* get() const { return handles_; }

 private:
  static constexpr MPI_Fint few = 8;
  MPI_Request few_[few];
  std::unique_ptr<MPI_Request[]> many_;
  MPI_Request* handles_;
};

}  // namespace

LAPWING_ENTRY void lapwing_defer_(MPI_Fint count, const MPI_Fint* requests) {
  lapwing::entry::defer(count, Handles(count, requests).get(), false, __builtin_return_address(0));
}

LAPWING_ENTRY void lapwing_defer_receives_(MPI_Fint count, const MPI_Fint* requests) {
  lapwing::entry::defer(count, Handles(count, requests).get(), true, __builtin_return_address(0));
}

LAPWING_ENTRY void lapwing_reach_(MPI_Fint count, const MPI_Fint* requests) {
  if (!Verify::on()) return lapwing::entry::reach(count, Handles(count, requests).get());
  for (MPI_Fint i = 0; i < count; ++i) Verify::reach(requests + i, PMPI_Request_f2c(requests[i]));
}

LAPWING_ENTRY void lapwing_retire_(MPI_Fint count, const MPI_Fint* requests) {
  if (!Verify::on()) return lapwing::entry::retire(count, Handles(count, requests).get());
  for (MPI_Fint i = 0; i < count; ++i) Verify::retire(requests + i, PMPI_Request_f2c(requests[i]));
}
