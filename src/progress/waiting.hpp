// SPDX-License-Identifier: Apache-2.0
// A thread of the program's waits by looking again and again.
#pragma once

#include <sched.h>

#include "progress/clock.hpp"
#include "progress/policy.hpp"

namespace lapwing::progress {

inline void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// After a look into MPI: `vain` looks in a row have found nothing.
inline void relax(unsigned vain) {
  if (vain > looks_before_yield) sched_yield();
}

/// Between looks at memory that another thread is about to change.
class Backoff {
 public:
  void pause() {
    if (++looks_ <= looks_before_yield) return pause_briefly();
    if (looks_ <= looks_before_sleep) {
      sched_yield();
      return;
    }
    const timespec time = timespec_of(sleep_between_looks);
    nanosleep(&time, nullptr);
  }

 private:
  unsigned looks_ = 0;
};

template <typename Done>
void wait_until(Done done) {
  for (Backoff backoff; !done();) backoff.pause();
}

}  // namespace lapwing::progress
