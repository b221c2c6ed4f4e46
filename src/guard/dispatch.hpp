// SPDX-License-Identifier: Apache-2.0
// Syscall User Dispatch: while pages are closed, the system calls of the
// program's threads are looked at first, because the kernel answers EFAULT for
// an inaccessible page where a thread would merely have waited.
#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>

namespace lapwing::guard::dispatch {

/// Whether this kernel has it and no one else uses it in this process.
bool available();
/// From now on threads are watched; the calling one at once.
void start();
void stop();
void abandon();
bool running();

/// Watches the calling thread too, unless it is the engine's.
void watch_this_thread();
void unwatch_this_thread();

/// True inside an Unwatched of the calling thread.
bool making_own_calls();

/// A region has closed: every watched thread asks from its next system call on.
void regions_closed();
/// No page is closed any more: calls are free again.
void regions_opened();

/// The handler of SIGSYS; false if the signal is not ours.
bool handle(siginfo_t* info, void* context);

void enter_section();
void leave_section();

/// While it lives, the calling thread's system calls are the guard's own.
class Unwatched {
 public:
  Unwatched();
  ~Unwatched();
  Unwatched(const Unwatched&) = delete;
};

}  // namespace lapwing::guard::dispatch
