// SPDX-License-Identifier: Apache-2.0
// The main program of a program with tasks.
#pragma once

#include <lapwing/tasks/abi.hpp>
#include <lapwing/tasks/errors.hpp>
#include <lapwing/tasks/options.hpp>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace lapwing::tasks {

/// Runs `program` as the main program, and returns when all its tasks have
/// ended. The exception of a task, or of the program, comes out of here.
LAPWING_TASKS_API void run(const Options& options, const std::function<void()>& program);
inline void run(const std::function<void()>& program) { run(Options{}, program); }

/// The main program waits for all tasks so far.
LAPWING_TASKS_API void finish();

/// The number of workers, and which one runs the caller; 1 and 0 outside of run().
LAPWING_TASKS_API int workers();
LAPWING_TASKS_API int worker();

namespace detail {
LAPWING_TASKS_API bool leave_slot();
LAPWING_TASKS_API void take_slot();
}  // namespace detail

/// Calls `wait`, in which the running task waits for something outside of its program: another thread
/// runs other tasks on its worker meanwhile, if there is one (Options::spare). MPI's calls need no
/// such word.
template <class Wait>
decltype(auto) blocking(Wait&& wait) {
  struct Left {
    bool left = detail::leave_slot();
    Left() = default;
    Left(const Left&) = delete;
    Left& operator=(const Left&) = delete;
    ~Left() {
      if (left) detail::take_slot();
    }
  } left;
  return std::forward<Wait>(wait)();
}

/// Counts of the events since run() began.
struct Statistics {
  std::uint64_t tasks = 0;      // that have ended
  std::uint64_t on_target = 0;  // of those with a locality object or a placement, on that processor
  std::uint64_t targeted = 0;   // tasks with a locality object or a placement
  std::uint64_t stolen = 0;
  std::uint64_t suspended = 0;     // times that a task, or the main program, waited inside
  std::uint64_t window_waits = 0;  // times that a creator waited because too much was unrolled
  std::uint64_t most_unfinished = 0;
  // On ranks, as far as the others have told:
  std::uint64_t messages = 0;       // that were sent, by all
  std::uint64_t most_messages = 0;  // by one rank
  std::uint64_t bytes = 0;          // in all messages
  std::uint64_t moved = 0;          // versions of objects that went to another rank
  std::uint64_t early = 0;          // on this rank: uses of parts of objects that had not come whole
  std::vector<double> cpu_seconds;  // processor time of each rank
  std::uint64_t lent = 0;           // by this rank: tasks that tasks spawned and other ranks ran
};
LAPWING_TASKS_API Statistics statistics();

}  // namespace lapwing::tasks
