// SPDX-License-Identifier: Apache-2.0
// Large objects on their way: from the memory in which they are into that in
// which they shall be, without a copy, in strips of which a few are on the way at
// a time, so that they land in order.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <vector>

namespace lapwing::tasks::ranks {

class Bulks {
 public:
  Bulks(MPI_Comm comm, int ranks) : comm_(comm), sent_(static_cast<std::size_t>(ranks)) {}

  /// The number that the receiver must know, best before the bytes come: that of the next one to `to`.
  int next(int to) const { return sent_[static_cast<std::size_t>(to)]; }
  void send(int to, const void* data, std::size_t size, std::size_t strip, std::function<void()> left);
  /// `landed` is told how many bytes are there, after each strip.
  void receive(int from, int number, void* into, std::size_t size, std::size_t strip,
               std::function<void(std::size_t)> landed);
  /// Strips that have gone or come.
  int progress();
  bool busy() const { return !moving_.empty(); }
  /// Messages to send so many bytes.
  static std::size_t strips(std::size_t size, std::size_t strip) { return (size + strip - 1) / strip; }

 private:
  static constexpr std::size_t window = 3;
  static constexpr int numbers = 32000;  // any MPI has as many tags
  struct Moving {
    bool out;
    int peer, number;
    char* data;
    std::size_t size, strip;
    std::function<void(std::size_t)> moved;
    std::size_t posted = 0, done = 0;
    std::deque<MPI_Request> requests = {};
  };
  void post(Moving& moving);

  MPI_Comm comm_;
  std::vector<int> sent_;  // to each rank
  std::list<Moving> moving_;
};

}  // namespace lapwing::tasks::ranks
