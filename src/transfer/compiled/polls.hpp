// SPDX-License-Identifier: Apache-2.0
// Progress from the program's own loops: compiled code counts the rounds of a
// loop that a transfer crosses, and calls here once in some microseconds.
//
// A thread that is woken for a look takes its time from the program's core; a
// loop that looks does not. So while loops poll, the helper stays asleep, and
// comes back where they do not.
#pragma once

#include <cstdint>

#include "lapwing/compiled.h"

// Of a function that uses no vector registers; a sanitizer must not make it call what does.
#define LAPWING_GENERAL_REGISTERS \
  __attribute__((target("general-regs-only"), no_sanitize("address", "thread", "undefined")))

namespace lapwing::transfer {

class Polls {
 public:
  /// From the thread that called MPI_Init; `level`: what MPI granted.
  static void start(int level);
  static void stop();
  /// Whether loops may poll at all.
  static bool taken() { return taken_; }

  /// Something has been put in flight; nothing is any more. Any thread.
  static void want();
  static void want_none();

  /// After how many rounds the loop is to call again, 0 if it is to look now, which
  /// is seldom.
  LAPWING_GENERAL_REGISTERS static unsigned count(lapwing_loop& loop);
  /// The look, and after how many rounds to call again.
  static unsigned look(lapwing_loop& loop);

  /// Whether loops poll just now, so that the helper need not look, or have done so lately.
  static bool now();
  static bool lately();

 private:
  static std::uint64_t look_now(std::uint64_t now);

  static inline bool taken_ = false, by_all_ = false;
};

}  // namespace lapwing::transfer
