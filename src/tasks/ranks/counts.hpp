// SPDX-License-Identifier: Apache-2.0
// Counters of the ranks: tasks of the home that have ended here, of which the home hears when it asks or when
// there are many, and each rank's messages, bytes and processor time.
#pragma once

#include <lapwing/tasks/pack.hpp>
#include <lapwing/tasks/program.hpp>

#include <cstdint>
#include <vector>

#include "tasks/ranks/job.hpp"

namespace lapwing::tasks::ranks {

class Counts {
 public:
  explicit Counts(const Job& job);
  /// From here on, for this run; `report_every` tasks are worth a message.
  void start(std::uint64_t report_every);

  /// A task that the home had sent here has ended.
  void task_ended();
  /// The home wants to know when so many have.
  void asked(std::uint64_t tasks);

  /// This rank's counts, in a message to the home, and another rank's out of one.
  void put(detail::Out& out) const;
  void take(int rank, detail::In& in);
  void add_to(Statistics& statistics) const;

 private:
  struct OfRank {
    std::uint64_t messages = 0, bytes = 0;
    double cpu_seconds = 0;
  };
  OfRank own() const;
  void report();

  const Job& job_;
  OfRank at_start_;
  std::uint64_t report_every_ = 1;
  std::uint64_t ended_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
  std::uint64_t reported_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
  std::uint64_t asked_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
  std::vector<OfRank> of_ranks_ LAPWING_GUARDED_BY(job_.wire.mutex);  // as each said last
};

}  // namespace lapwing::tasks::ranks
