// SPDX-License-Identifier: Apache-2.0
// Threads of Lapwing's take no signals.
#pragma once

#include <signal.h>

namespace lapwing::progress {

/// While one lives, threads that are made inherit that all signals are blocked:
/// signals are the program's affair, and its threads must keep receiving them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace lapwing::progress
