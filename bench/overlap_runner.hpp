// SPDX-License-Identifier: Apache-2.0
// The receiving side: one timed iteration of one variant.
#pragma once

#include <vector>

#include "overlap.hpp"

namespace lapwing::bench {

/// One case at one size with its amount of computation.
struct Setup {
  Case kind = Case::scan_up;
  std::size_t bytes = 0;
  Work work;              ///< of the scan of the data
  Work independent_work;  ///< of the independent computation
};

struct Sample {
  double total_s = 0;     ///< from the common start to the end of the computation
  double receive_s = 0;   ///< of it, in MPI_Recv (blocking variants)
  double faults = 0;      ///< of this process, during the iteration
  bool deferred = false;  ///< the receive returned before its payload
};

class Runner {
 public:
  Runner(std::size_t max_bytes, const LapwingSwitch& lapwing, int defer_mode);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  /// Chooses what the next iterations do.
  void configure(const Setup& setup);
  /// Runs the chosen iteration. A wrong checksum counts as a mismatch.
  Sample run(Variant variant, const HandPlan& plan = {});
  /// Only receives `bytes` bytes, plainly; seconds from the common start.
  double transfer_alone(std::size_t bytes);

  /// The work with which the configured case computes for `seconds`.
  Work calibrated(Case kind, std::size_t bytes, double seconds);

  int mismatches() const { return mismatches_; }

 private:
  std::uint64_t start(const Command& command);  // returns the payload's round
  void check(std::uint64_t checksum, std::uint64_t round);

  const LapwingSwitch& lapwing_;
  int defer_mode_;
  std::vector<std::uint64_t> data_, copy_, scratch_;
  Setup setup_;
  HandWork work_;
  Expectation expected_;
  std::uint64_t independent_result_ = 1;
  int mismatches_ = 0;
};

}  // namespace lapwing::bench
