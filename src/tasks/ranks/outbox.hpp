// SPDX-License-Identifier: Apache-2.0
// Events from the home to each rank. They wait a while for others, so that many small ones make one message.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstdint>
#include <vector>

#include "tasks/ranks/job.hpp"

namespace lapwing::tasks::ranks {

/// Every call under the wire's lock.
class Outbox {
 public:
  explicit Outbox(const Job& job) : job_(job), batches_(static_cast<std::size_t>(job.ranks)) {}

  /// Where the next event to the rank is written, in the order of the program.
  detail::Out& to(int rank);
  /// Writes an event to all ranks but the home.
  template <typename... Parts>
  void to_all(const Parts&... parts) {
    for (int rank = 1; rank < job_.ranks; ++rank) (to(rank) & ... & parts);
  }
  void flush(int rank);
  void flush();
  /// A long batch does not wait.
  void flush_if_full(int rank);
  /// Nanoseconds for which the first event to the rank has been waiting; 0 without one.
  std::uint64_t waits(int rank) const;
  bool empty() const;

 private:
  struct Batch {
    detail::Out out;
    std::uint64_t since;
  };
  const Job& job_;
  std::vector<Batch> batches_ LAPWING_GUARDED_BY(job_.wire.mutex);
};

}  // namespace lapwing::tasks::ranks
