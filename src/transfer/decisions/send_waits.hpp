// SPDX-License-Identifier: Apache-2.0
// Time that a rank has spent in plain blocking sends, for the receives that it had posted before.
//
// A program that posts a receive, sends, and then waits for what it receives (MPI_Irecv, MPI_Send, MPI_Wait)
// spends most of the time of the exchange in its send: both messages travel then, and the wait is short.
// Strips would hide both calls, so the wait of such a receive includes a send.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace lapwing::transfer {

/// The last few sends. The caller sees to it that one thread calls at a time. Times in nanoseconds.
class SendWaits {
 public:
  struct Send {
    int peer = 0;
    std::thread::id thread;  ///< which made the call
    std::uint64_t began = 0, took = 0;
  };

  void note(const Send& send) { sends_[next_++ % sends_.size()] = send; }
  /// The time of one send that `thread` began after it had posted a receive from `peer`: a send to the same
  /// peer, or else the oldest, as where a program sends to one neighbour and receives from the other. That
  /// send is forgotten, so a send counts for one receive.
  std::uint64_t claim(int peer, std::uint64_t posted, std::thread::id thread) {
    Send* best = nullptr;
    for (Send& send : sends_) {
      if (send.took == 0 || send.began <= posted || send.thread != thread) continue;
      const bool same = send.peer == peer;
      if (!best || same > (best->peer == peer) || (same == (best->peer == peer) && send.began < best->began))
        best = &send;
    }
    if (!best) return 0;
    const std::uint64_t took = best->took;
    *best = Send{};
    return took;
  }

 private:
  std::array<Send, 8> sends_{};
  std::size_t next_ = 0;
};

}  // namespace lapwing::transfer
