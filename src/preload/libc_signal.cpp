// SPDX-License-Identifier: Apache-2.0
// The mprotect guard keeps SIGSEGV and SIGSYS for itself; what the program wants
// done with them is remembered there and done for signals that are not the
// guard's. Neither may be blocked, in a mask or by a handler: the kernel kills
// a thread that faults with the signal blocked.
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "options/switched_off.hpp"
#include "preload/hooks.h"

namespace {

using Handler = void (*)(int);
using lapwing::preload::Next;

LAPWING_NEXT<int(int, const struct sigaction*, struct sigaction*)> next_sigaction("sigaction");
LAPWING_NEXT<Handler(int, Handler)> next_signal("signal");
LAPWING_NEXT<Handler(int, Handler)> next_sysv_signal("sysv_signal");
LAPWING_NEXT<int(int, const sigset_t*, sigset_t*)> next_sigprocmask("sigprocmask");
LAPWING_NEXT<int(int, const sigset_t*, sigset_t*)> next_pthread_sigmask("pthread_sigmask");

bool taken(int signal, const struct sigaction* wanted, struct sigaction* old, int* result) {
  auto action = lapwing_preload_hooks.action;
  return action && action(signal, wanted, old, result);
}

int is_of_mpi(dl_phdr_info* file, size_t, void*) { return strstr(file->dlpi_name, "/libmpi") != nullptr; }

// A thread that blocks them before there is a guard would be killed by it later. By the names of the files,
// since dlsym makes dlerror forget what it has to tell the program.
bool guard_may_come() {
  static int may = -1;  // threads that meet here find the same
  if (may < 0) may = !lapwing::options::is_switched_off() && dl_iterate_phdr(is_of_mpi, nullptr) != 0;
  return may > 0;
}

bool opened(const sigset_t* set, sigset_t* copy) {
  if (!set) return false;
  if (auto open_set = lapwing_preload_hooks.open_set) return open_set(set, copy);
  if (lapwing_preload_hooks.await || !guard_may_come()) return false;
  *copy = *set;
  sigdelset(copy, SIGSEGV);
  sigdelset(copy, SIGSYS);
  return true;
}

Handler simple(int signal, Handler handler, int flags, Next<Handler(int, Handler)>& next) {
  struct sigaction wanted, old;
  memset(&wanted, 0, sizeof wanted);
  wanted.sa_handler = handler;
  wanted.sa_flags = flags;
  int result = 0;
  if (!taken(signal, &wanted, &old, &result)) return next.get()(signal, handler);
  return result == 0 ? old.sa_handler : SIG_ERR;
}

}  // namespace

extern "C" {

LAPWING_EXPORT int sigaction(int signal, const struct sigaction* wanted, struct sigaction* old) noexcept {
  int result = 0;
  if (taken(signal, wanted, old, &result)) return result;
  struct sigaction changed;
  sigset_t open;
  if (wanted && opened(&wanted->sa_mask, &open)) {
    changed = *wanted;
    changed.sa_mask = open;
    wanted = &changed;
  }
  return next_sigaction.get()(signal, wanted, old);
}

LAPWING_EXPORT Handler signal(int number, Handler handler) noexcept {
  return simple(number, handler, SA_RESTART, next_signal);
}

LAPWING_EXPORT Handler bsd_signal(int number, Handler handler) noexcept { return signal(number, handler); }
LAPWING_EXPORT Handler ssignal(int number, Handler handler) noexcept { return signal(number, handler); }

LAPWING_EXPORT Handler sysv_signal(int number, Handler handler) noexcept {
  return simple(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER), next_sysv_signal);
}
LAPWING_EXPORT Handler __sysv_signal(int number, Handler handler) noexcept {
  return sysv_signal(number, handler);
}

LAPWING_EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  sigset_t open;
  return next_sigprocmask.get()(how, how != SIG_UNBLOCK && opened(set, &open) ? &open : set, old);
}

LAPWING_EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  sigset_t open;
  return next_pthread_sigmask.get()(how, how != SIG_UNBLOCK && opened(set, &open) ? &open : set, old);
}

}  // extern "C"
