// SPDX-License-Identifier: Apache-2.0
// Bells: a rank that sleeps is woken by who has sent it something, through memory
// that the ranks of a node share. MPI has nothing that waits without looking.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <vector>

namespace lapwing::tasks::ranks {

class Bells {
 public:
  struct alignas(64) Bell {
    std::atomic<int> listens;
  };
  /// By rank, null where it is no neighbour; in shared memory, zeroed.
  Bells(std::vector<Bell*> bells, int own)
      : bells_(std::move(bells)), own_(bells_[static_cast<std::size_t>(own)]) {}

  /// Something has been sent to the rank: ends its sleep, if it sleeps. Nothing
  /// happens where it is no neighbour.
  void ring(int rank);
  /// From here on a rank that sends something rings. Look once more before sleep():
  /// what was sent before rings no more.
  void listen(bool on);
  /// Until a rank rings, or for so long.
  void sleep(std::chrono::nanoseconds most);

 private:
  std::vector<Bell*> bells_;
  Bell* own_;
};

}  // namespace lapwing::tasks::ranks
