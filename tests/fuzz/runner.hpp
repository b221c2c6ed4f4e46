// SPDX-License-Identifier: Apache-2.0
// One rank's execution of a program: its memory, communicators and log.
#pragma once

#include <mpi.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "script.hpp"
#include "touching.hpp"

namespace lapwing::fuzz {

// What a message or a step saw, in the order in which it saw it.
class Notes {
 public:
  void add(const char* label, uint64_t value) { seen_.emplace_back(label, value); }
  // Remembers a call only if it failed, by the class of its error.
  void call(const char* name, int result);
  void status(const MPI_Status& status, MPI_Datatype elem, MPI_Datatype type);
  std::string text(const std::string& name) const;

 private:
  std::vector<std::pair<const char*, uint64_t>> seen_;
};

// A message's half made ready: bytes with contents, a datatype, a place for notes.
struct Half {
  const Message* message = nullptr;
  const Part* part = nullptr;
  bool receives = false;
  char* at = nullptr;
  Temporary temporary;
  MPI_Datatype type = MPI_BYTE;
  bool own_type = false;
  int count = 0;
  void* buffer = nullptr;  // what MPI is given: MPI_BOTTOM for absolute addresses
  Notes* notes = nullptr;
  Toucher* toucher = nullptr;

  int source() const { return message->any_source ? MPI_ANY_SOURCE : message->source; }
  int tag() const { return message->any_tag ? MPI_ANY_TAG : message->tag; }
};

MPI_Datatype mpi_type(Elem elem);

// Calls that complete one message before they return.
void send_now(Half& half, MPI_Comm comm);
void receive_now(Half& half, MPI_Comm comm);

// Starts a message; null where the call has already completed it.
MPI_Request start_send(Half& half, MPI_Comm comm);
MPI_Request start_receive(Half& half, MPI_Comm comm);

// Completes all requests by one of MPI's ways, and tells of each as it completes. The status
// is null where the program ignores it.
using Completed = std::function<void(size_t which, const MPI_Status* status, int result)>;
void complete(Random& random, std::vector<MPI_Request>& requests, bool ignore_status,
              const Completed& completed);

class Runner {
 public:
  Runner(std::string directory, int log);
  // Steps for which `wanted` says no are left out, by all ranks.
  void run(const Program& program, const std::function<bool(int)>& wanted);

 private:
  struct Frame {  // of one step
    const Step* step;
    MPI_Comm comm;
    char* stack;
    std::vector<Notes> notes;  // two for each message: sent, received
    Notes own;
  };
  void make_communicators(const Program& program);
  void free_communicators();
  void run_step(const Step& step);
  void dispatch(Frame& frame);

  Half prepare(Frame& frame, const Message& message, bool receives, Toucher& toucher);
  Half prepare_part(Frame& frame, const Part& part);
  void finish(Half& half, const Step& step);
  void keep(const Step& step, int order, Temporary temporary, std::function<uint64_t(Temporary&)> look);
  void keep_sum(const Step& step, Temporary temporary, std::function<uint64_t(Temporary&)> look);
  void release_kept(int before);
  bool mine(const Part& part) const { return part.world == rank_; }

  void ordered(Frame& frame, int thread, Toucher& toucher);
  void overlapped(Frame& frame);
  void look_ahead(Frame& frame);
  void wild(Frame& frame);
  void threads(Frame& frame);
  void sendrecv(Frame& frame);
  void persistent(Frame& frame);
  void truncate(Frame& frame);
  void cancel(Frame& frame);
  void request_free(Frame& frame);
  void causality(Frame& frame);
  void null_process(Frame& frame);
  void collective(Frame& frame);
  void local(Frame& frame);
  void touch(Frame& frame);
  void window(Frame& frame);

  std::string directory_;
  int log_;
  int rank_ = 0, size_ = 1;
  const Program* program_ = nullptr;
  Memory memory_;
  std::unique_ptr<Toucher> toucher_;
  std::vector<MPI_Comm> comms_;
  std::mutex kept_lock_;
  struct Kept {
    Temporary temporary;
    std::function<uint64_t(Temporary&)> look;
  };
  // By the step at which they are due, their own step, and their order in it; those of one place
  // came in no certain order and are summed.
  std::map<std::tuple<int, int, int>, std::vector<Kept>> kept_;
};

}  // namespace lapwing::fuzz
