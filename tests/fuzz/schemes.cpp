// SPDX-License-Identifier: Apache-2.0
// Steps made of several messages: one after another, all posted first, from anyone, in threads.
#include <algorithm>
#include <thread>

#include "runner.hpp"

namespace lapwing::fuzz {
namespace {

// Room for all of a step's buffered sends, given to MPI for as long as the step lasts.
class BsendRoom {
 public:
  BsendRoom(const Step& step, int world) {
    size_t bytes = 0;
    for (const Message& m : step.messages) {
      bool buffered =
          m.send.send == SendCall::bsend || m.send.send == SendCall::ibsend || m.send.send == SendCall::binit;
      if (m.send.world == world && buffered) bytes += m.count * size_of(m.elem) + MPI_BSEND_OVERHEAD + 1024;
    }
    if (bytes == 0) return;
    room_.resize(bytes + 65536);
    MPI_Buffer_attach(room_.data(), static_cast<int>(room_.size()));
  }
  ~BsendRoom() {
    void* at = nullptr;
    int bytes = 0;
    if (!room_.empty()) MPI_Buffer_detach(&at, &bytes);
  }
  BsendRoom(const BsendRoom&) = delete;
  BsendRoom& operator=(const BsendRoom&) = delete;

 private:
  std::vector<char> room_;
};

}  // namespace

void Runner::ordered(Frame& frame, int thread, Toucher& toucher) {
  const Step& step = *frame.step;
  BsendRoom room(step, thread < 0 ? rank_ : -1);
  for (const Message& message : step.messages) {
    if (thread >= 0 && message.thread != thread) continue;
    if (mine(message.send)) {
      Half half = prepare(frame, message, false, toucher);
      send_now(half, frame.comm);
      finish(half, step);
    }
    if (mine(message.recv)) {
      Half half = prepare(frame, message, true, toucher);
      receive_now(half, frame.comm);
      finish(half, step);
    }
  }
}

// Probes for the last message to this rank: those before it must not be overtaken when they are
// received, by any tag perhaps.
void Runner::look_ahead(Frame& frame) {
  const std::vector<Message>& messages = frame.step->messages;
  auto last =
      std::find_if(messages.rbegin(), messages.rend(), [&](const Message& m) { return mine(m.recv); });
  if (last == messages.rend()) return;
  MPI_Status status;
  frame.own.call("look_ahead", MPI_Probe(last->source, last->tag, frame.comm, &status));
  frame.own.status(status, MPI_BYTE, MPI_BYTE);
}

// posted: all receives, then all sends, then completion. eager: all sends, then blocking
// receives, then completion of the sends.
void Runner::overlapped(Frame& frame) {
  const Step& step = *frame.step;
  bool posted = step.kind == Kind::posted;
  BsendRoom room(step, rank_);
  Random random(combine(step.key, rank_, 5));
  std::vector<Half> halves;
  std::vector<MPI_Request> requests;
  halves.reserve(step.messages.size() * 3);
  auto add = [&](Half half, bool starts) {
    halves.push_back(half);
    Half& kept = halves.back();
    requests.push_back(!starts         ? MPI_REQUEST_NULL
                       : kept.receives ? start_receive(kept, frame.comm)
                                       : start_send(kept, frame.comm));
    if (!random.chance(25)) return;
    requests.push_back(MPI_REQUEST_NULL);  // arrays with holes
    halves.push_back({});
  };
  if (posted)
    for (const Message& message : step.messages)
      if (mine(message.recv)) add(prepare(frame, message, true, *toucher_), true);
  if (posted && step.barrier) MPI_Barrier(frame.comm);
  for (const Message& message : step.messages)
    if (mine(message.send)) add(prepare(frame, message, false, *toucher_), true);
  if (!posted && combine(step.key, 9) % 2 == 0) look_ahead(frame);
  if (!posted)
    for (const Message& message : step.messages)
      if (mine(message.recv)) {
        Half half = prepare(frame, message, true, *toucher_);
        receive_now(half, frame.comm);
        finish(half, step);
      }
  std::vector<bool> persistent(requests.size()), pending(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    const Half& half = halves[i];
    pending[i] = requests[i] != MPI_REQUEST_NULL;
    if (half.part == nullptr) continue;
    persistent[i] = half.receives ? half.part->recv == RecvCall::init
                                  : half.part->send == SendCall::init || half.part->send == SendCall::sinit ||
                                        half.part->send == SendCall::binit;
    if (!pending[i]) finish(halves[i], step);  // a blocking send
  }
  complete(random, requests, random.chance(30), [&](size_t i, const MPI_Status* status, int result) {
    Half& half = halves[i];
    half.notes->call("wait", result);
    if (half.receives && status != nullptr)
      half.notes->status(*status, mpi_type(half.message->elem), half.type);
    finish(half, step);
  });
  for (size_t i = 0; i < requests.size(); ++i)
    if (persistent[i] && requests[i] != MPI_REQUEST_NULL) MPI_Request_free(&requests[i]);
}

// Messages from anyone: which receive gets which is the network's choice, so what is noted is
// a sum over what came, each counted with its true source.
void Runner::wild(Frame& frame) {
  const Step& step = *frame.step;
  const Part& first = step.messages.front().recv;
  bool at_once =
      first.recv == RecvCall::irecv || first.recv == RecvCall::init || first.recv == RecvCall::irecv_c;
  bool matched = first.recv == RecvCall::mprobe || first.recv == RecvCall::mprobe_imrecv;
  std::vector<Half> halves;
  std::vector<MPI_Request> requests;
  uint64_t sum = 0;
  Notes ignored;
  auto came = [&](Half& half, const MPI_Status& status, int result) {
    int count = -1;
    MPI_Get_count(&status, half.type, &count);
    frame.own.call("recv", result);
    uint64_t who = combine(static_cast<uint64_t>(status.MPI_SOURCE), static_cast<uint64_t>(status.MPI_TAG),
                           static_cast<uint64_t>(count));
    auto look = [who, at = half.at, count](Temporary& t) {
      uint64_t seen = combine(who, digest(at, static_cast<size_t>(std::max(count, 0))));
      fuzz::release(t, Release::free_now);
      return seen;
    };
    sum += who;
    // What is looked at later is summed as well: the keeper adds what is due together.
    if (first.release == Release::hold)
      keep_sum(step, half.temporary, look);
    else
      sum += look(half.temporary);
  };
  for (const Message& message : step.messages) {
    if (mine(message.send)) {
      Half half = prepare(frame, message, false, *toucher_);
      send_now(half, frame.comm);
      finish(half, step);
    }
    if (!mine(message.recv)) continue;
    Half half = prepare(frame, message, true, *toucher_);
    half.notes = &ignored;
    MPI_Status status;
    int result = MPI_SUCCESS;
    if (at_once) {
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Irecv(half.buffer, half.count, half.type, half.source(), half.tag(), frame.comm, &requests.back());
      halves.push_back(half);
      continue;
    }
    if (matched) {
      MPI_Message handle;
      MPI_Mprobe(half.source(), half.tag(), frame.comm, &handle, &status);
      result = MPI_Mrecv(half.buffer, half.count, half.type, &handle, &status);
    } else {
      result = MPI_Recv(half.buffer, half.count, half.type, half.source(), half.tag(), frame.comm, &status);
    }
    came(half, status, result);
  }
  Random random(combine(step.key, rank_, 6));
  complete(random, requests, false,
           [&](size_t i, const MPI_Status* status, int result) { came(halves[i], *status, result); });
  if (step.barrier) MPI_Barrier(frame.comm);
  frame.own.add("sum", sum);
}

// Two threads of each rank, each with messages of its own on the same communicator.
void Runner::threads(Frame& frame) {
  Toucher first(directory_), second(directory_);
  std::thread other([&] { ordered(frame, 1, second); });
  ordered(frame, 0, first);
  other.join();
}

// A shift around the communicator, each rank sending and receiving in one call.
void Runner::sendrecv(Frame& frame) {
  const Step& step = *frame.step;
  auto by = [&](bool receives) {
    return std::find_if(step.messages.begin(), step.messages.end(),
                        [&](const Message& m) { return mine(receives ? m.recv : m.send); });
  };
  Half out = prepare(frame, *by(false), false, *toucher_);
  MPI_Status status;
  if (step.variant == 1) {
    const Message& incoming = *by(true);
    int source = incoming.any_source ? MPI_ANY_SOURCE : incoming.source;
    int result = MPI_Sendrecv_replace(out.buffer, out.count, out.type, out.message->target, out.message->tag,
                                      source, incoming.tag, frame.comm, &status);
    out.notes->call("sendrecv_replace", result);
    out.notes->status(status, mpi_type(out.message->elem), out.type);
    return finish(out, step);
  }
  Half in = prepare(frame, *by(true), true, *toucher_);
  MPI_Status* wanted = in.part->ignore_status ? MPI_STATUS_IGNORE : &status;
  int result = MPI_SUCCESS;
#if MPI_VERSION >= 4
  if (step.variant == 2) {
    MPI_Request request;
    result = MPI_Isendrecv(out.buffer, out.count, out.type, out.message->target, out.message->tag, in.buffer,
                           in.count, in.type, in.source(), in.message->tag, frame.comm, &request);
    in.notes->call("isendrecv", result);
    // MPICH 4.0 leaves this status unset: there is nothing to compare.
    result = MPI_Wait(&request, MPI_STATUS_IGNORE);
    wanted = MPI_STATUS_IGNORE;
  } else
#endif
    result = MPI_Sendrecv(out.buffer, out.count, out.type, out.message->target, out.message->tag, in.buffer,
                          in.count, in.type, in.source(), in.message->tag, frame.comm, wanted);
  in.notes->call("sendrecv", result);
  if (wanted != MPI_STATUS_IGNORE) in.notes->status(status, mpi_type(in.message->elem), in.type);
  finish(out, step);
  finish(in, step);
}

}  // namespace lapwing::fuzz
