// SPDX-License-Identifier: Apache-2.0
// Runs of tasks with so many workers.
#pragma once

#include <lapwing/tasks.hpp>

namespace lapwing::tasks {

inline Options with_workers(int workers) {
  Options options;
  options.workers = workers;
  return options;
}

}  // namespace lapwing::tasks
