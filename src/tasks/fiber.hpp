// SPDX-License-Identifier: Apache-2.0
// Stacks of their own for tasks that wait: a worker leaves the stack on which a
// task is suspended and goes on with another.
#pragma once

#include <cstddef>

namespace lapwing::tasks {

struct Fiber {
  void* pointer = nullptr;  // the stack pointer, or a ucontext, while it is not running
  void* stack = nullptr;
  std::size_t size = 0;
  void (*entry)() = nullptr;
  // Exceptions that are being handled belong to the stack, not to the thread.
  void* caught = nullptr;
  unsigned uncaught = 0;
  // The sanitizers' view of this stack.
  void* sanitizer = nullptr;
  const void* bottom = nullptr;
  std::size_t extent = 0;
  Fiber* next = nullptr;
};

/// The stack that the calling thread came with.
void adopt_thread(Fiber& fiber);
/// A new stack, on which `entry` starts and never returns.
Fiber* make_fiber(std::size_t bytes, void (*entry)());
void free_fiber(Fiber* fiber);
/// Leaves `from`, which is running, and goes on with `to`; returns when a worker
/// goes on with `from`, perhaps on another thread.
void switch_fiber(Fiber& from, Fiber& to);

}  // namespace lapwing::tasks
