// SPDX-License-Identifier: Apache-2.0
// Ordered control messages with handlers that run on arrival.
//
// Small messages between any two processes of the job, on a communicator of
// Lapwing's own. Between two processes they arrive in the order in which they
// were sent (MPI's promise for one communicator and tag); a handler runs to its
// end before the next message from anybody is handled. Credits and hints of the
// engine travel here; process sets, arrays and tasks stand on it too.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace lapwing::transfer {

/// Not thread-safe by itself: every call is made under the engine's lock,
/// handlers run under it, and may send but must not wait.
class Control {
 public:
  /// `source` is a world rank; `data` is valid only during the call.
  using Handler = std::function<void(int source, const char* data, std::size_t size)>;

  /// Takes `comm`, a duplicate of the world that nobody else uses.
  Control(MPI_Comm comm, int processes) : comm_(comm), sent_to_(static_cast<std::size_t>(processes)) {}

  /// Registers what to do with messages of `kind` (0..63). Before the first
  /// one can arrive: a message of an unknown kind ends the job with a sentence.
  void on(int kind, Handler handler);

  /// Sends without waiting; the bytes are copied. Communicates.
  void send(int destination, int kind, const void* data, std::size_t size);

  /// Handles what has arrived and forgets what has left. Returns the number
  /// of messages handled.
  int progress();

  /// True while a sent message has not left.
  bool sending() const { return !outbox_.empty(); }

  /// Messages sent so far, by destination.
  const std::vector<std::uint64_t>& sent_to() const { return sent_to_; }
  std::uint64_t handled() const { return handled_; }

 private:
  struct Letter {
    MPI_Request request;
    std::unique_ptr<char[]> bytes;
  };
  static constexpr int kinds = 64;

  MPI_Comm comm_;
  Handler handlers_[kinds];
  std::deque<Letter> outbox_;
  std::vector<char> inbox_;
  std::vector<std::uint64_t> sent_to_;
  std::uint64_t handled_ = 0;
};

}  // namespace lapwing::transfer
