// SPDX-License-Identifier: Apache-2.0
// Steps that look at one rule of MPI each: persistent requests, truncation, cancelling,
// requests given up, causality, and processes that are none.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "runner.hpp"

namespace lapwing::fuzz {
namespace {

// Intel MPI 2021 reports no truncation where there is room for nothing, unless the message is matched by a
// probe.
bool told_of_truncation(const Half& h) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  return h.count > 0 || !std::strstr(version, "Intel");
}

}  // namespace

void Runner::persistent(Frame& frame) {
  const Step& step = *frame.step;
  std::vector<Half> halves;
  std::vector<MPI_Request> requests;
  for (const Message& message : step.messages) {
    bool receives = mine(message.recv);
    if (!receives && !mine(message.send)) continue;
    Half h = prepare(frame, message, receives, *toucher_);
    MPI_Request request = MPI_REQUEST_NULL;
    if (receives)
      MPI_Recv_init(h.buffer, h.count, h.type, h.source(), h.tag(), frame.comm, &request);
    else if (message.send.key % 3 == 0)
      MPI_Ssend_init(h.buffer, h.count, h.type, message.target, message.tag, frame.comm, &request);
    else
      MPI_Send_init(h.buffer, h.count, h.type, message.target, message.tag, frame.comm, &request);
    halves.push_back(h);
    requests.push_back(request);
  }
  Random random(combine(step.key, rank_, 7));
  for (int round = 0; round < step.rounds && !requests.empty(); ++round) {
    if (step.variant % 2 == 0)
      MPI_Startall(static_cast<int>(requests.size()), requests.data());
    else
      for (MPI_Request& request : requests) MPI_Start(&request);
    complete(random, requests, random.chance(30), [&](size_t i, const MPI_Status* status, int result) {
      Half& h = halves[i];
      h.notes->call("wait", result);
      if (h.receives && status != nullptr) h.notes->status(*status, mpi_type(h.message->elem), h.type);
      uint64_t key = combine(h.part->key, round);
      for (Touch touch : h.part->touches)
        h.notes->add("touch", h.toucher->touch(touch, h.at, h.part->region.bytes, ++key));
    });
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  for (Half& h : halves) finish(h, step);
}

// A receive with room for too little: MPI's own error, no byte beyond the room, and the
// traffic that follows as if nothing had been.
void Runner::truncate(Frame& frame) {
  const Step& step = *frame.step;
  const Message& message = step.messages.front();
  std::vector<char> following(30011);
  if (mine(message.send)) {
    Half h = prepare(frame, message, false, *toucher_);
    send_now(h, frame.comm);
    finish(h, step);
    fill(following.data(), following.size(), step.key);
    MPI_Send(following.data(), 30011, MPI_BYTE, message.target, message.tag, frame.comm);
  }
  if (!mine(message.recv)) return;
  Half h = prepare(frame, message, true, *toucher_);
  MPI_Status status;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message matched = MPI_MESSAGE_NULL;
  int result = MPI_SUCCESS;
  switch (step.variant) {
    case 0:
      result = MPI_Recv(h.buffer, h.count, h.type, message.source, message.tag, frame.comm, &status);
      break;
    case 1:
      MPI_Irecv(h.buffer, h.count, h.type, message.source, message.tag, frame.comm, &request);
      result = MPI_Wait(&request, MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Irecv(h.buffer, h.count, h.type, message.source, message.tag, frame.comm, &request);
      result = MPI_Waitall(1, &request, &status);
      if (told_of_truncation(h)) h.notes->call("waitall", result);
      if (result != MPI_SUCCESS) result = status.MPI_ERROR;
      break;
    case 3:
      MPI_Mprobe(message.source, message.tag, frame.comm, &matched, &status);
      h.notes->status(status, MPI_BYTE, MPI_BYTE);
      result = MPI_Mrecv(h.buffer, h.count, h.type, &matched, &status);
      break;
    case 4:
      result = MPI_Sendrecv(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, h.buffer, h.count, h.type, message.source,
                            message.tag, frame.comm, &status);
      break;
    default:
      MPI_Recv_init(h.buffer, h.count, h.type, message.source, message.tag, frame.comm, &request);
      MPI_Start(&request);
      result = MPI_Wait(&request, &status);
      MPI_Request_free(&request);
  }
  if (told_of_truncation(h)) h.notes->call("truncated", result);
#ifdef MPICH_VERSION
  // Open MPI 4.1 lets the kernel copy all of a long message, so there nothing can be asked.
  const char* end = h.temporary.base + h.temporary.bytes;
  const char* beyond = h.at + h.part->elements;
  h.notes->add("beyond", digest(beyond, static_cast<size_t>(end - beyond)));
#endif
  fuzz::release(h.temporary, Release::free_now);  // what lies within the room is nobody's to say
  result = MPI_Recv(following.data(), 30011, MPI_BYTE, message.source, message.tag, frame.comm, &status);
  h.notes->call("following", result);
  h.notes->status(status, MPI_BYTE, MPI_BYTE);
  h.notes->add("bytes", digest(following.data(), following.size()));
}

void Runner::cancel(Frame& frame) {
  const Step& step = *frame.step;
  constexpr int kTagOfNoMessage = 32000;
  for (const Part& part : step.parts) {
    if (!mine(part) || &part >= &step.parts[step.parts.size() / 2]) continue;
    Half h = prepare_part(frame, part);
    MPI_Request request = MPI_REQUEST_NULL;
    int source = step.variant % 2 == 0 ? MPI_ANY_SOURCE : step.root;
    if (step.variant < 4) {
      MPI_Recv_init(h.buffer, static_cast<int>(part.elements), MPI_BYTE, source, kTagOfNoMessage, frame.comm,
                    &request);
      MPI_Start(&request);
    } else {
      MPI_Irecv(h.buffer, static_cast<int>(part.elements), MPI_BYTE, source, kTagOfNoMessage, frame.comm,
                &request);
    }
    if (step.variant % 3 == 0) {
      int done = 0;
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      frame.own.add("early", static_cast<uint64_t>(done));
      MPI_Barrier(frame.comm);
    }
    frame.own.call("cancel", MPI_Cancel(&request));
    MPI_Status status;
    int cancelled = -1;
    frame.own.call("wait", MPI_Wait(&request, &status));
    MPI_Test_cancelled(&status, &cancelled);
    frame.own.add("cancelled", static_cast<uint64_t>(cancelled));
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    frame.own.add("untouched", digest(h.at, part.elements));
    finish(h, step);
  }
}

// A send whose request is given up: only the receiver's answer says that it is done.
void Runner::request_free(Frame& frame) {
  const Step& step = *frame.step;
  const Message& message = step.messages.front();
  int answer = message.tag + 1;
  if (mine(message.send)) {
    Half h = prepare(frame, message, false, *toucher_);
    MPI_Request request;
    if (step.variant % 2 == 0)
      MPI_Isend(h.buffer, h.count, h.type, message.target, message.tag, frame.comm, &request);
    else
      MPI_Issend(h.buffer, h.count, h.type, message.target, message.tag, frame.comm, &request);
    h.notes->call("free", MPI_Request_free(&request));
    MPI_Recv(nullptr, 0, MPI_BYTE, message.target, answer, frame.comm, MPI_STATUS_IGNORE);
    finish(h, step);
  }
  if (mine(message.recv)) {
    Half h = prepare(frame, message, true, *toucher_);
    receive_now(h, frame.comm);
    // The bytes are looked at first: an answer that is sent earlier would not make them certain.
    h.notes->add("bytes", digest(h.at, h.part->region.bytes));
    MPI_Send(nullptr, 0, MPI_BYTE, message.source, answer, frame.comm);
    finish(h, step);
  }
}

// What the sender did before it sent has happened when the receive returns, and what the
// receiver did before it received has happened when a synchronous send returns: here, files.
void Runner::causality(Frame& frame) {
  const Step& step = *frame.step;
  const Message& message = step.messages.front();
  bool synchronous = step.variant % 2 == 1;
  std::string name =
      directory_ + "/cause." + std::to_string(program_->seed) + "." + std::to_string(step.index);
  auto write_file = [&] {
    int fd = open(name.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    uint64_t word = combine(step.key, 3);
    if (write(fd, &word, sizeof word) != sizeof word) frame.own.add("short", 1);
    close(fd);
  };
  auto read_file = [&] {
    uint64_t word = 0;
    int fd = open(name.c_str(), O_RDONLY);
    if (fd < 0 || read(fd, &word, sizeof word) != sizeof word) word = 1;
    if (fd >= 0) close(fd);
    unlink(name.c_str());
    frame.own.add("file", word);
  };
  if (mine(message.send)) {
    Half h = prepare(frame, message, false, *toucher_);
    if (!synchronous) {
      write_file();
      send_now(h, frame.comm);
    } else if (step.variant == 1) {
      MPI_Ssend(h.buffer, h.count, h.type, message.target, message.tag, frame.comm);
      read_file();
    } else {
      MPI_Request request;
      MPI_Issend(h.buffer, h.count, h.type, message.target, message.tag, frame.comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      read_file();
    }
    finish(h, step);
  }
  if (mine(message.recv)) {
    Half h = prepare(frame, message, true, *toucher_);
    if (synchronous) {
      usleep(static_cast<useconds_t>(step.key % 2000));
      write_file();
    }
    receive_now(h, frame.comm);
    if (!synchronous) read_file();
    finish(h, step);
  }
}

void Runner::null_process(Frame& frame) {
  const Step& step = *frame.step;
  char bytes[64] = {};
  MPI_Status status, two[2];
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  auto note = [&](const MPI_Status& s) { frame.own.status(s, MPI_BYTE, MPI_BYTE); };
  MPI_Recv(bytes, 64, MPI_BYTE, MPI_PROC_NULL, step.index, frame.comm, &status);
  note(status);
  MPI_Sendrecv(bytes, 64, MPI_BYTE, MPI_PROC_NULL, 1, bytes, 64, MPI_BYTE, MPI_PROC_NULL, 1, frame.comm,
               &status);
  note(status);
  MPI_Irecv(bytes, 64, MPI_BYTE, MPI_PROC_NULL, 3, frame.comm, &requests[0]);
  MPI_Isend(bytes, 64, MPI_BYTE, MPI_PROC_NULL, 3, frame.comm, &requests[1]);
  MPI_Waitall(2, requests, two);
  // MPICH 4.0 keeps one status for all of these, over which its own collectives
  // write: docs/limitations.md.
  if (MPI_VERSION < 4) note(two[0]);
  int there = -1, index = -1, done = -1, count = -1;
  MPI_Iprobe(MPI_PROC_NULL, 3, frame.comm, &there, &status);
  note(status);
  MPI_Message matched = MPI_MESSAGE_NULL;
  MPI_Mprobe(MPI_PROC_NULL, 3, frame.comm, &matched, &status);
  frame.own.add("no_process", matched == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(bytes, 64, MPI_BYTE, &matched, &status);
  note(status);
  MPI_Wait(&requests[0], &status);
  note(status);
  MPI_Testany(2, requests, &index, &done, &status);
  frame.own.add("testany", combine(index == MPI_UNDEFINED, done));
  MPI_Waitsome(2, requests, &count, &index, two);
  frame.own.add("waitsome", count == MPI_UNDEFINED);
  MPI_Testall(0, nullptr, &done, MPI_STATUSES_IGNORE);
  frame.own.add("testall", combine(there, done));
  frame.own.add("bytes", digest(bytes, sizeof bytes));
  // Part of the step only so that its places are looked at.
  for (const Part& part : step.parts)
    if (mine(part)) {
      Half h = prepare_part(frame, part);
      finish(h, step);
    }
}

}  // namespace lapwing::fuzz
