// SPDX-License-Identifier: Apache-2.0
// Time that a rank has spent in plain blocking sends, for the receives that it had posted before.
//
// A program that posts a receive, sends, and then waits for what it receives (MPI_Irecv, MPI_Send, MPI_Wait)
// spends most of the time of the exchange in its send: both messages travel then, and the wait is short.
// Strips would hide both calls, so the wait of such a receive counts from the beginning of the send.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

/// The last few sends. The caller sees to it that one thread calls at a time. Times in nanoseconds.
class SendWaits {
 public:
  void note(std::uint64_t began, std::uint64_t took) { sends_[next_++ % sends_.size()] = {began, took}; }
  /// The time in sends that began after a receive was posted. They are forgotten, and those before it are:
  /// a receive claims them once, and time that no receive has claimed by now was hidden by none.
  std::uint64_t claim(std::uint64_t posted) {
    std::uint64_t sum = 0;
    for (Send& send : sends_) {
      if (send.began > posted) sum += send.took;
      send = Send{};
    }
    return sum;
  }

 private:
  struct Send {
    std::uint64_t began = 0, took = 0;
  };
  std::array<Send, 8> sends_{};
  std::size_t next_ = 0;
};

}  // namespace lapwing::transfer
