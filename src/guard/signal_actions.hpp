// SPDX-License-Identifier: Apache-2.0
// Two signals are taken from the program, SIGSEGV and SIGSYS; what it wants done
// with them is remembered and done whenever the signal is not the guard's.
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <cstdint>

namespace lapwing::guard {

/// The kernel's own form of an action; libc's has no restorer.
struct KernelAction {
  void* handler = nullptr;
  unsigned long flags = 0;
  void* restorer = nullptr;
  std::uint64_t mask = 0;
};

using Handler = void (*)(int, siginfo_t*, void*);

/// Takes SIGSEGV and SIGSYS; keeps the three signals of faults out of the masks
/// of all other handlers, because a blocked signal cannot stop a thread.
bool take_signals(Handler on_segv, Handler on_sys);
/// Gives them back to whom the program wants.
void return_signals();

/// Does what the program would have had done: its handler with its flags and
/// mask, or the default with the right address and core.
void pass_on(int signal, siginfo_t* info, void* context);

/// A program's sigaction(): true if it is answered here, with `*result`.
bool remember_action(int signal, const struct sigaction* wanted, struct sigaction* old, int* result);
/// Lets the calling thread have the guard's signals, whatever it has blocked.
void open_this_mask();
/// A copy of `set` that leaves the guard's signals open.
bool open_set(const sigset_t* set, sigset_t* copy);

/// Gives the calling thread an alternate stack if it has none, so that a
/// closed page at the stack pointer still finds its handler.
void provide_alternate_stack();

}  // namespace lapwing::guard
