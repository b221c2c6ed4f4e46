// SPDX-License-Identifier: Apache-2.0
// The latency benchmark: what calls with nothing to hide cost. One process
// measures one way of running; the driver alternates processes with and
// without Lapwing, since the thread level is part of the price.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace lapwing::bench {

/// Times one kind of operation on rank 0; rank 1 runs along.
class Stopwatch {
 public:
  /// `seconds`: about how long each measurement may last.
  Stopwatch(int rank, double seconds) : rank_(rank), seconds_(seconds) {}

  /// The median seconds of one `operation`, after a warm-up; the ranks agree
  /// on how often it runs. Operations shorter than 20 us are timed in batches.
  double time(const std::function<void()>& operation) const;

 private:
  int rank_;
  double seconds_;
};

/// Half a round trip of `bytes` bytes, with the first and last word of each
/// message checked at once and the rest at the end; a wrong byte ends the job.
double ping_pong(const Stopwatch& watch, int rank, std::size_t bytes);

/// `count` transfers of 8 bytes fetched from rank 1, one after the other, or
/// with all requests and replies in flight together.
double fetch_blocking(const Stopwatch& watch, int rank, int count);
double fetch_nonblocking(const Stopwatch& watch, int rank, int count);

/// A step of a program that has nothing to hide: a computation and a small
/// reduction, or an exchange of `bytes` bytes each way and nothing else.
double idle_compute(const Stopwatch& watch, int rank);
double idle_exchange(const Stopwatch& watch, int rank, std::size_t bytes);

}  // namespace lapwing::bench
