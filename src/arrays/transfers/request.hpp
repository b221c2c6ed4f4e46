// SPDX-License-Identifier: Apache-2.0
// One transfer, from its call to its completion: a state machine that messages
// drive (HPF/MPI 4.2). All of it under the lock of Progress.
#pragma once

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrays/task_comm.hpp"
#include "arrays/transfers/exchange.hpp"
#include "arrays/transfers/meeting.hpp"
#include "arrays/transfers/movement.hpp"

namespace lapwing::arrays {

struct Status {
  int task = any, tag = any;
  Error error;
  std::int64_t elements = 0;
};

class Request {
 public:
  enum class Kind { send, receive, within, ghosts };

  /// The arguments of the call. `descriptor` and `local` describe the array that is
  /// sent or received; with the kind `within` those of the destination as well.
  struct Call {
    Kind kind;
    std::shared_ptr<TaskComm> comm;
    int partner = any, tag = any;
    std::shared_ptr<const Descriptor> descriptor = nullptr, to = nullptr;
    std::vector<char*> local = {}, to_local = {};
    bool persistent = false;
    std::optional<Transform> transform = {};  ///< with the kind `within`
    GhostUpdate update = {};                  ///< with the kind `ghosts`
    bool blocking = false;                    ///< with the kind `ghosts`: no other blocking one overtakes it
    Error error = {};                         ///< found in the call, on this process
  };

  explicit Request(Call call);
  ~Request();

  /// Before another start: as open_memory() of its arrays.
  void open_memory() const;
  /// Posts it; in the order of the program's calls.
  void begin();
  /// A persistent one is active from here until it is complete.
  Error start();
  /// Goes on; whether anything has happened.
  bool step();
  void matched(Match match, bool announced);
  /// Moving, and by MPI alone; then wait() may follow, by the one thread that has
  /// taken it out of the hands of all threads.
  bool with_mpi() const { return state_ == State::moving && movement_->prepared() && !call_.comm->steps.on; }
  void wait();
  /// Whether its next start is no more than that of MPI's persistent requests. Known once it was complete.
  bool prepared() const { return movement_ && movement_->prepared(); }

  bool persistent() const { return call_.persistent; }
  /// Started, and not settled since; only the program's calls change it.
  bool begun() const { return started_; }
  bool active() const { return started_ && !complete_; }
  /// Nothing moves it on: it is complete or not started, and the other side knows all.
  bool idle() const { return state_ == State::ready; }
  bool complete() const { return complete_; }
  /// Nothing is to be done while MPI moves the messages.
  bool simple() const { return simple_; }
  /// The helper gains nothing by moving it soon: MPI does, or the wait does it at less cost.
  bool unhurried() const { return simple_ || (movement_ && movement_->unhurried()); }
  /// Of persistent ones: how soon after its start, and what that costs, the program waits; this time and the
  /// last times.
  void start_ends();
  void wait_begins();
  bool waited_for_at_once() const;
  /// A persistent one that is complete becomes ready for its next start.
  void settle() { started_ = complete_ = false; }
  const Status& status() const { return status_; }
  TaskComm& comm() const { return *call_.comm; }

  /// Whether the elements of this box of the whole array have landed here; of ghosts and of what is combined
  /// with what is there, whether all have.
  bool landed(const std::int64_t* first, const std::int64_t* count) const;
  /// Within the task: no other one is told, nor waited for.
  bool alone() const { return call_.kind == Kind::within || call_.kind == Kind::ghosts; }
  bool receives() const { return call_.kind != Kind::send; }
  std::size_t arrays() const { return call_.descriptor->views.size(); }

 private:
  enum class State { checking, telling, matching, meeting, ready, moving };

  void check();
  bool step_check();
  void post();
  void prepare(const Side& other);
  void meet(const Movement::Ends& ends, Strategy strategy);
  bool step_meeting();
  void plan(const Movement::Ends& ends, Strategy strategy);
  void go();
  void fail(Error error);
  void finish();

  Call call_;
  State state_ = State::checking;
  bool started_ = false, complete_ = false, simple_ = false;
  Status status_;
  std::uint64_t number_ = 0;        // of the call within the task
  std::uint64_t match_number_ = 0;  // of the send on its channel
  std::unique_ptr<Movement> movement_;
  // Where arrays have index lists: what they share, and the transfer that waits for it.
  std::shared_ptr<Met> met_;
  std::unique_ptr<Meeting> meeting_;
  Movement::Ends ends_{};
  Strategy strategy_ = Strategy::automatic;
  std::uint64_t since_ = 0, packing_before_ = 0;
  std::uint64_t started_at_ = 0;  // not 0 while no wait has begun
  int waits_at_once_ = 0;         // in a row

  // Errors are returned: what the processes of the task agree on.
  MPI_Request agreement_ = MPI_REQUEST_NULL;
  std::array<unsigned long long, 4> words_{}, agreed_{};
  std::array<char, 512> sentence_{};
};

}  // namespace lapwing::arrays
