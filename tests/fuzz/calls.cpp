// SPDX-License-Identifier: Apache-2.0
// Every call by which one message can be sent or received.
#include <sched.h>

#include "runner.hpp"

#if MPI_VERSION >= 4
#define LAPWING_FUZZ_LARGE 1
#endif

namespace lapwing::fuzz {
namespace {

// A persistent request is used once and freed; any other is null after its wait.
void wait_alone(Half& half, MPI_Request request, bool persistent) {
  Random random(combine(half.part->key, 31));
  std::vector<MPI_Request> requests{request};
  if (random.chance(40))
    requests.insert(requests.begin() + static_cast<long>(random.below(2)), MPI_REQUEST_NULL);
  complete(random, requests, half.part->ignore_status,
           [&](size_t which, const MPI_Status* status, int result) {
             half.notes->call("wait", result);
             if (half.receives && status != nullptr)
               half.notes->status(*status, mpi_type(half.message->elem), half.type);
             request = requests[which];
           });
  if (persistent) MPI_Request_free(&request);
}

bool is_persistent(SendCall call) {
  return call == SendCall::init || call == SendCall::sinit || call == SendCall::binit;
}

// The status of the message that is next for this half, by a loop that lets others run.
int look_until_there(Half& half, MPI_Comm comm, MPI_Message* matched, MPI_Status* status) {
  for (int there = 0;;) {
    int result = matched == nullptr ? MPI_Iprobe(half.source(), half.tag(), comm, &there, status)
                                    : MPI_Improbe(half.source(), half.tag(), comm, &there, matched, status);
    if (result != MPI_SUCCESS || there != 0) return result;
    sched_yield();
  }
}

void receive_probed(Half& half, MPI_Comm comm, MPI_Status* status) {
  MPI_Status seen;
  bool polls = half.part->recv == RecvCall::iprobe;
  int result = polls ? look_until_there(half, comm, nullptr, &seen)
                     : MPI_Probe(half.source(), half.tag(), comm, &seen);
  half.notes->call("probe", result);
  half.notes->status(seen, mpi_type(half.message->elem), half.type);
  result = MPI_Recv(half.buffer, half.count, half.type, seen.MPI_SOURCE, seen.MPI_TAG, comm, status);
  half.notes->call("recv", result);
}

void receive_matched(Half& half, MPI_Comm comm, MPI_Status* status) {
  MPI_Status seen;
  MPI_Message matched = MPI_MESSAGE_NULL;
  bool polls = half.part->recv == RecvCall::improbe;
  int result = polls ? look_until_there(half, comm, &matched, &seen)
                     : MPI_Mprobe(half.source(), half.tag(), comm, &matched, &seen);
  half.notes->call("mprobe", result);
  half.notes->status(seen, mpi_type(half.message->elem), half.type);
  if (half.part->recv != RecvCall::mprobe_imrecv) {
    half.notes->call("mrecv", MPI_Mrecv(half.buffer, half.count, half.type, &matched, status));
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  half.notes->call("imrecv", MPI_Imrecv(half.buffer, half.count, half.type, &matched, &request));
  wait_alone(half, request, false);
}

}  // namespace

MPI_Request start_send(Half& h, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int to = h.message->target, tag = h.message->tag, result = MPI_SUCCESS;
  switch (h.part->send) {
    case SendCall::isend:
      result = MPI_Isend(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::issend:
      result = MPI_Issend(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::ibsend:
      result = MPI_Ibsend(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::irsend:
      result = MPI_Irsend(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::init:
      result = MPI_Send_init(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::sinit:
      result = MPI_Ssend_init(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::binit:
      result = MPI_Bsend_init(h.buffer, h.count, h.type, to, tag, comm, &request);
      break;
    case SendCall::isend_c:
#ifdef LAPWING_FUZZ_LARGE
      result = MPI_Isend_c(h.buffer, h.count, h.type, to, tag, comm, &request);
#else
      result = MPI_Isend(h.buffer, h.count, h.type, to, tag, comm, &request);
#endif
      break;
    default:
      send_now(h, comm);
      break;
  }
  h.notes->call("send", result);
  if (is_persistent(h.part->send)) h.notes->call("start", MPI_Start(&request));
  return request;
}

void send_now(Half& h, MPI_Comm comm) {
  int to = h.message->target, tag = h.message->tag, result = MPI_SUCCESS;
  switch (h.part->send) {
    case SendCall::send:
      result = MPI_Send(h.buffer, h.count, h.type, to, tag, comm);
      break;
    case SendCall::ssend:
      result = MPI_Ssend(h.buffer, h.count, h.type, to, tag, comm);
      break;
    case SendCall::bsend:
      result = MPI_Bsend(h.buffer, h.count, h.type, to, tag, comm);
      break;
    case SendCall::rsend:
      result = MPI_Rsend(h.buffer, h.count, h.type, to, tag, comm);
      break;
    case SendCall::sendrecv_null:
      result = MPI_Sendrecv(h.buffer, h.count, h.type, to, tag, nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm,
                            MPI_STATUS_IGNORE);
      break;
    case SendCall::send_c:
#ifdef LAPWING_FUZZ_LARGE
      result = MPI_Send_c(h.buffer, h.count, h.type, to, tag, comm);
#else
      result = MPI_Send(h.buffer, h.count, h.type, to, tag, comm);
#endif
      break;
    default: {
      MPI_Request request = start_send(h, comm);
      wait_alone(h, request, is_persistent(h.part->send));
    }
  }
  h.notes->call("send", result);
}

MPI_Request start_receive(Half& h, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  int result = MPI_SUCCESS;
  switch (h.part->recv) {
    case RecvCall::init:
      h.notes->call("init", MPI_Recv_init(h.buffer, h.count, h.type, h.source(), h.tag(), comm, &request));
      result = MPI_Start(&request);
      break;
#ifdef LAPWING_FUZZ_LARGE
    case RecvCall::irecv_c:
      result = MPI_Irecv_c(h.buffer, h.count, h.type, h.source(), h.tag(), comm, &request);
      break;
#endif
    default:
      result = MPI_Irecv(h.buffer, h.count, h.type, h.source(), h.tag(), comm, &request);
  }
  h.notes->call("irecv", result);
  return request;
}

void receive_now(Half& h, MPI_Comm comm) {
  MPI_Status status;
  MPI_Status* wanted = h.part->ignore_status ? MPI_STATUS_IGNORE : &status;
  int result = MPI_SUCCESS;
  switch (h.part->recv) {
    case RecvCall::irecv:
    case RecvCall::irecv_c:
      return wait_alone(h, start_receive(h, comm), false);
    case RecvCall::init:
      return wait_alone(h, start_receive(h, comm), true);
    case RecvCall::probe:
    case RecvCall::iprobe:
      receive_probed(h, comm, wanted);
      break;
    case RecvCall::mprobe:
    case RecvCall::improbe:
      receive_matched(h, comm, wanted);
      break;
    case RecvCall::mprobe_imrecv:
      return receive_matched(h, comm, wanted);
    case RecvCall::sendrecv_null:
      result = MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, h.buffer, h.count, h.type, h.source(),
                            h.tag(), comm, wanted);
      break;
#ifdef LAPWING_FUZZ_LARGE
    case RecvCall::recv_c:
      result = MPI_Recv_c(h.buffer, h.count, h.type, h.source(), h.tag(), comm, wanted);
      break;
#endif
    default:
      result = MPI_Recv(h.buffer, h.count, h.type, h.source(), h.tag(), comm, wanted);
  }
  h.notes->call("recv", result);
  if (wanted != MPI_STATUS_IGNORE) h.notes->status(status, mpi_type(h.message->elem), h.type);
}

}  // namespace lapwing::fuzz
