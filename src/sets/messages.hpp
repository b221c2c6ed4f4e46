// SPDX-License-Identifier: Apache-2.0
// The message queue of the process sets: the engine's ordered control messages,
// on a communicator of their own.
//
// Votes of splits, questions of the checker and the protocol of declared
// communication travel here, each with kinds of its own. Nothing here needs a
// thread: a thread that waits makes progress, and so does every call of the program's
// that enters the room.
#pragma once

#include <mpi.h>

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "sets/at_hand.hpp"
#include "transfer/wire/board.hpp"
#include "transfer/wire/control.hpp"

namespace lapwing::sets {

/// Kinds of control message of this room, by its parts.
enum MessageKind : int { vote_kinds = 16, check_kinds = 24, declared_kinds = 40, after_kinds = 48 };

class Messages {
 public:
  /// After PMPI_Init, collective over MPI_COMM_WORLD; once.
  static void start();
  /// Before PMPI_Finalize, collective: returns once everything sent has arrived.
  static void stop();
  static bool started() { return control_ != nullptr; }

  /// Both only under the lock. A handler runs under it too.
  static void on(int kind, transfer::Control::Handler handler);
  static void send(int world_rank, int kind, const void* data, std::size_t size);

  /// Adds a part that makes progress whenever messages do; under the lock, true if
  /// anything moved.
  static void also(std::function<bool()> part) { parts_.push_back(std::move(part)); }

  static Lock& lock() { return at_hand.lock; }
  /// Handles what has arrived; true if anything had.
  static bool progress();
  /// Makes progress until `done()`, which is asked under the lock. The lock must
  /// not be held by the caller. Now and then asks `in_vain` to end the job if what
  /// is waited for cannot come any more.
  static void wait(const std::function<bool()>& done, const std::function<void()>& in_vain = {});
  /// For waits for all processes: ends the job with a sentence if one of the node has ended.
  static void miss_anybody();

  static int rank() { return rank_; }
  static int processes() { return processes_; }
  /// For communicators of the sets' own; never seen by the program.
  static MPI_Comm world() { return world_; }
  /// To the processes of this node; null where there is none to be had.
  static transfer::Board* board() { return board_; }
  /// For tests and benchmarks: messages sent by this process so far.
  static std::uint64_t sent() { return sent_; }
  static std::uint64_t handled() { return control_ ? control_->handled() : 0; }

 private:
  static bool step();
  // Never destroyed: a destructor of the program's may call MPI_Finalize.
  static inline std::vector<std::function<bool()>>& parts_ = *new std::vector<std::function<bool()>>;
  static inline transfer::Control* control_ = nullptr;
  static inline transfer::Board* board_ = nullptr;
  static inline MPI_Comm world_ = MPI_COMM_NULL;
  static inline int rank_ = 0, processes_ = 1;
  static inline std::uint64_t sent_ = 0;
};

}  // namespace lapwing::sets
