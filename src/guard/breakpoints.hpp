// SPDX-License-Identifier: Apache-2.0
// Some bytes under the processor's debug registers: they see every access of one thread, also in pages that
// hold other data. There are four of eight bytes each, on x86, where the kernel lends them.
#pragma once

#include <cstddef>

namespace lapwing::guard {

class Breakpoints {
 public:
  static constexpr int none = -1;

  /// In a signal's handler, on the thread that has made the access: `what` as given to watch(). Not told of
  /// accesses by system libraries and by MPI, which may read beyond what they were asked for.
  using Touched = void (*)(const void* what);
  static void start(Touched touched);
  static void stop();

  /// Watches the first bytes of [begin, end) that one register can hold, against the writes of the calling
  /// thread or against all its accesses. Their number, or none.
  static int watch(const char* begin, const char* end, bool writes_only, const void* what);
  static void forget(int number);
};

}  // namespace lapwing::guard
