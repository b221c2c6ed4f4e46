// SPDX-License-Identifier: Apache-2.0
// The functions that compiled code calls in place of sends, receives and waits of the program.
#include "entry/compiled/compiled.hpp"
#include "entry/compiled/verify.hpp"
#include "transfer/compiled/proved.hpp"

using lapwing::entry::Receiving;
using lapwing::entry::Sending;
using lapwing::entry::Verify;
using lapwing::transfer::Proved;
using SendKind = lapwing::transfer::SendArguments::Kind;

#define START_SEND(NAME, CALL, KIND, HOW)                                                                \
  LAPWING_ENTRY lapwing_token* NAME(const void* buffer, int count, MPI_Datatype type, int dest, int tag, \
                                    MPI_Comm comm) {                                                     \
    int error = MPI_SUCCESS;                                                                             \
    return lapwing::entry::start_send(                                                                   \
        {buffer, count, type, dest, tag, comm, LAPWING_CALLER(CALL), KIND, false, true}, HOW, &error);   \
  }

START_SEND(lapwing_start_send, "MPI_Send", SendKind::standard, Sending::now)
START_SEND(lapwing_start_ssend, "MPI_Ssend", SendKind::synchronous, Sending::now)
START_SEND(lapwing_post_send, "MPI_Send", SendKind::standard, Sending::early)
START_SEND(lapwing_post_ssend, "MPI_Ssend", SendKind::synchronous, Sending::early)
START_SEND(lapwing_pair_send, "MPI_Sendrecv", SendKind::standard, Sending::paired)
START_SEND(lapwing_pair_copy, "MPI_Sendrecv_replace", SendKind::standard, Sending::paired_copy)

#define START_RECEIVE(NAME, HOW)                                                                        \
  LAPWING_ENTRY lapwing_token* NAME(void* buffer, int count, MPI_Datatype type, int source, int tag,    \
                                    MPI_Comm comm, MPI_Status* status) {                                \
    int error = MPI_SUCCESS;                                                                            \
    return lapwing::entry::start_receive(                                                               \
        {buffer, count, type, source, tag, comm, LAPWING_CALLER("MPI_Recv"), false, true}, HOW, status, \
        &error);                                                                                        \
  }

START_RECEIVE(lapwing_start_recv, Receiving::now)
START_RECEIVE(lapwing_start_recv_matched, Receiving::matched)
START_RECEIVE(lapwing_post_recv, Receiving::early)
START_RECEIVE(lapwing_pair_recv, Receiving::paired)
START_RECEIVE(lapwing_pair_recv_matched, Receiving::paired_matched)

LAPWING_ENTRY int lapwing_may_split(int count, MPI_Datatype type, int peer, MPI_Comm comm) {
  return lapwing::entry::may_split(count, type, peer, comm);
}

LAPWING_ENTRY int lapwing_may_sink(MPI_Comm comm) {
  return lapwing::entry::may_sink(comm == MPI_Comm{} ? MPI_COMM_NULL : comm);
}

namespace {

void wait_at(lapwing_token* token, const void* place) {
  if (!token) return;
  Verify::on() ? Verify::wait(token) : lapwing::entry::wait_unverified(token, place);
}

lapwing_token* next_of(lapwing_queue* queue) { return queue->rid[queue->w_cnt++ % LAPWING_QUEUE]; }

}  // namespace

LAPWING_ENTRY void lapwing_wait(lapwing_token* token) { wait_at(token, __builtin_return_address(0)); }

LAPWING_ENTRY void lapwing_reach_token(lapwing_token* token) {
  if (Verify::on()) return Verify::reach(token);
  if (token && lapwing::entry::may_reach()) Proved::reach(token);
}

LAPWING_ENTRY void lapwing_push(lapwing_queue* queue, lapwing_token* token) {
  if (!token) return;
  if (queue->i_cnt - queue->w_cnt == LAPWING_QUEUE) wait_at(next_of(queue), __builtin_return_address(0));
  queue->rid[queue->i_cnt++ % LAPWING_QUEUE] = token;
}

LAPWING_ENTRY void lapwing_drain(lapwing_queue* queue) {
  while (queue->w_cnt != queue->i_cnt) wait_at(next_of(queue), __builtin_return_address(0));
}
