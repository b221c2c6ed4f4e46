// SPDX-License-Identifier: Apache-2.0
// Messages between the ranks of a node, in order: through mailboxes, and where
// one does not fit through MPI, for which a letter of the box keeps its place.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "progress/ring.hpp"
#include "tasks/wire/bells.hpp"

namespace lapwing::tasks::ranks {

/// Lies in memory that the ranks of a node share: any of them puts a message there, and its owner alone takes
/// it.
using Mailbox = progress::Ring<16, (16 << 10) - 16>;

/// Every call under the wire's lock.
class Near {
 public:
  using Handler = std::function<void(int source, int kind, const char* data, std::size_t size)>;

  /// Boxes by rank, null where it is no neighbour; a duplicate of the world that no other part of the process
  /// uses.
  Near(std::vector<Mailbox*> boxes, int own, MPI_Comm comm, Bells& bells, Handler handler);

  bool reaches(int rank) const { return boxes_[static_cast<std::size_t>(rank)] != nullptr; }
  void send(int to, int kind, const void* data, std::size_t size);
  /// Handles what has come, and sends what had to wait; the number of messages handled.
  int progress();
  /// Something has not left.
  bool sending() const { return waiting_ > 0 || !long_.empty(); }

 private:
  static constexpr int by_mpi = -1;  // the kind of a letter for a message that did not fit
  struct Long {
    MPI_Request request;
    std::vector<char> bytes;
  };
  struct Kept {
    int kind;
    std::vector<char> bytes;
  };
  void put(int to, int kind, const void* data, std::size_t size);
  void send_waiting();
  void send_long(int to, int kind, const void* data, std::size_t size);
  void forget_sent();
  void take_long(int source);

  std::vector<Mailbox*> boxes_;
  int own_;
  Bells& bells_;
  Handler handler_;
  MPI_Comm comm_;
  std::deque<Long> long_;  // on their way out
  std::vector<char> inbox_;
  std::uint64_t taken_ = 0;             // letters from the own box
  std::vector<std::deque<Kept>> kept_;  // for boxes that were full, by rank
  std::size_t waiting_ = 0;
};

}  // namespace lapwing::tasks::ranks
