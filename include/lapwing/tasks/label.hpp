// SPDX-License-Identifier: Apache-2.0
// What a task is called, and where the program wants it.
#pragma once

#include <cstdint>

namespace lapwing::tasks {

/// A task's name and up to two numbers: named("update", i, j). The text is not
/// copied: let it be a literal.
struct Label {
  const char* text = nullptr;
  std::int64_t first = -1;
  std::int64_t second = -1;
};

inline Label named(const char* text, std::int64_t first = -1, std::int64_t second = -1) {
  return {text, first, second};
}

/// The worker that a task must run on: on(i % workers()).
struct Placement {
  int worker = -1;
};

inline Placement on(int worker) { return {worker}; }

/// Of the tasks that a worker can run, those with the highest priority come first; 0 for tasks that
/// say nothing. Where a task may run is not changed by it.
struct Priority {
  int value = 0;
};

inline Priority priority(int value) { return {value}; }

}  // namespace lapwing::tasks
