// SPDX-License-Identifier: Apache-2.0
// A pointer of each thread, for code that may go on on another thread.
#pragma once

namespace lapwing::tasks {

/// One for each T. A function that switches fibers may end on another thread than it began on: it must not
/// remember where the variable was before the switch. The assembler keeps the compiler from merging an answer
/// with an earlier one.
template <typename T>
class ThreadPointer {
 public:
  [[gnu::noinline]] static T*& here() {
    asm volatile("");
    return value_;
  }

 private:
  static constinit inline thread_local T* value_ = nullptr;
};

}  // namespace lapwing::tasks
