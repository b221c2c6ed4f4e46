// SPDX-License-Identifier: Apache-2.0
// The facts of a task that decide where it may run, whichever scheduler sends it: objects and bodies that
// cannot travel, and how often a task ran where its locality object is.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "tasks/ranks/job.hpp"
#include "tasks/task.hpp"

namespace lapwing::tasks::ranks {

class Placement {
 public:
  explicit Placement(const Job& job) : job_(job) {}

  /// The rank of an object that cannot leave it, or -1; Error where there are two such ranks.
  int pinned(Task& task);
  /// Says, once for each body, why the task stays on rank 0.
  void say_body_stays(const Task& task);
  /// Statistics: a task with this target processor runs on `rank`.
  void count(int target, int rank);
  std::uint64_t targeted() const;
  std::uint64_t on_target() const;

 private:
  void say_object_stays(const Task& task, const Object& object, int rank);

  const Job& job_;
  std::unordered_set<const void*> said_ LAPWING_GUARDED_BY(job_.wire.mutex);  // types and bodies that stay
  std::uint64_t targeted_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
  std::uint64_t on_target_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
};

}  // namespace lapwing::tasks::ranks
