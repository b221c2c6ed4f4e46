// SPDX-License-Identifier: Apache-2.0
// Bells: a rank that sleeps is woken by who has sent it something, through memory
// that the ranks of a node share. MPI has nothing that waits without looking.
#pragma once

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace lapwing::tasks::ranks {

class Bells {
 public:
  /// Collective. Null where this rank has no neighbours, or memory cannot be shared.
  static std::unique_ptr<Bells> make(MPI_Comm comm);

  /// All other ranks can ring this one's.
  bool reach_all() const { return reach_all_; }
  int neighbours() const { return near_; }
  /// Something has been sent to the rank: ends its sleep, if it sleeps. Nothing
  /// happens where it is no neighbour.
  void ring(int rank);
  /// From here on whoever sends something rings. Look once more before sleep():
  /// what was sent before rings no more.
  void listen(bool on);
  /// Until somebody rings, or for so long.
  void sleep(std::chrono::nanoseconds most);

 private:
  struct alignas(64) Bell {
    std::atomic<int> listens;
  };
  Bells() = default;
  std::vector<Bell*> bells_;  // by rank; null where it is no neighbour
  Bell* own_ = nullptr;
  int near_ = 1;
  bool reach_all_ = false;
};

}  // namespace lapwing::tasks::ranks
