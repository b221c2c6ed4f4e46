// SPDX-License-Identifier: Apache-2.0
// Exceptions of tasks: of those that come, the one that the serial program
// would have met first counts. Tasks behind it that have not begun are skipped,
// those before it still run.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "progress/locks.hpp"
#include "tasks/task.hpp"

namespace lapwing::tasks {

/// Unwinds a task whose remaining part the serial program would not have reached.
struct Skipped {};

/// A task's place in the program: which child of which child of the main program.
using Place = std::vector<std::uint64_t>;
Place place_of(const Task& task);
/// The place of what the task does next, behind the children that it has.
Place here_in(const Task& task);

/// The name that the program gave, or where it was spawned.
std::string text_of(const Task& task);
/// "at file.cpp:12".
std::string text_of(const std::source_location& where);

class Failure {
 public:
  bool any() const { return any_.load(std::memory_order_acquire); }
  /// The exception that is being handled left the task.
  void record(const Task& task);
  struct Told {
    Place place;
    std::string what, task, reason;
    std::source_location where;
    bool whole = false;  // the text is known here, not only the place
  };
  /// The failure that counts so far.
  std::optional<Told> look();
  /// Another rank's failure; without `error` where only its place is known so
  /// far. True if it is the one that counts now.
  bool note(const Place& place, std::exception_ptr error);
  /// The same, to be told to others.
  bool note(const Told& told);
  /// True if what the place names comes after the failure.
  bool precedes(const Place& place);
  /// Throws Skipped if what the running task does next comes after the failure.
  void check(const Task& task) {
    if (any() && !task.main && precedes(here_in(task))) throw Skipped{};
  }
  /// Forgets the failure and returns it as a TaskError.
  std::exception_ptr take();

 private:
  bool counts(const Place& place, bool whole) const LAPWING_REQUIRES(mutex_);
  std::atomic<bool> any_{false};
  progress::OwnedMutex mutex_;
  Place place_ LAPWING_GUARDED_BY(mutex_);
  std::exception_ptr error_ LAPWING_GUARDED_BY(mutex_);
  Told told_ LAPWING_GUARDED_BY(mutex_);
};

}  // namespace lapwing::tasks
