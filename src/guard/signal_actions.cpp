// SPDX-License-Identifier: Apache-2.0
#include "guard/signal_actions.hpp"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "guard/kernel.hpp"

#ifndef SA_RESTORER
#define SA_RESTORER 0x04000000
#endif

extern "C" char lapwing_kernel_restore[];

namespace lapwing::guard {
namespace {

constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << (signal - 1); }
constexpr std::uint64_t our_signals = bit(SIGSEGV) | bit(SIGSYS);

// The action that the program wants for one signal. Read by handlers, so a version tells
// whether a reader met a writer half-way.
class Remembered {
 public:
  KernelAction load() const {
    KernelAction a;
    for (;;) {
      std::uint32_t before = version_.load();
      a.handler = handler_.load();
      a.flags = flags_.load();
      a.restorer = restorer_.load();
      a.mask = mask_.load();
      if (before % 2 == 0 && version_.load() == before) return a;
    }
  }
  void store(const KernelAction& a) {
    version_.fetch_add(1);
    handler_.store(a.handler);
    flags_.store(a.flags);
    restorer_.store(a.restorer);
    mask_.store(a.mask);
    version_.fetch_add(1);
  }
  /// SA_RESETHAND, from within a handler: takes no part in the versions.
  void forget_handler() { handler_.store(nullptr); }

 private:
  std::atomic<std::uint32_t> version_{0};
  std::atomic<void*> handler_{nullptr}, restorer_{nullptr};
  std::atomic<unsigned long> flags_{0};
  std::atomic<std::uint64_t> mask_{0};
};

Remembered program_segv, program_sys;
std::atomic<bool> taken{false};
std::mutex writers;

Remembered& remembered(int signal) { return signal == SIGSEGV ? program_segv : program_sys; }

bool kernel_action(int signal, const KernelAction* wanted, KernelAction* old) {
  return kernel::call(SYS_rt_sigaction, signal, wanted, old, 8) == 0;
}

KernelAction our_action(Handler handler) {
  // Open to everything, itself too: what interrupts a wait may touch another guard.
  return {reinterpret_cast<void*>(handler), SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART | SA_RESTORER,
          lapwing_kernel_restore, 0};
}

void open_all_masks() {
  for (int signal = 1; signal <= 64; ++signal) {
    KernelAction a;
    if (signal == SIGKILL || signal == SIGSTOP || !kernel_action(signal, nullptr, &a)) continue;
    if (a.handler == nullptr || !(a.mask & our_signals)) continue;
    a.mask &= ~our_signals;
    kernel_action(signal, &a, nullptr);
  }
}

void set_default(int signal) {
  KernelAction a;
  kernel_action(signal, &a, nullptr);
}

// A signal that a process sent comes again, now to its default action.
void send_again(int signal, siginfo_t* info) {
  set_default(signal);
  kernel::call(SYS_rt_tgsigqueueinfo, kernel::call(SYS_getpid), kernel::call(SYS_gettid), signal, info);
}

KernelAction to_kernel(const struct sigaction& a) {
  KernelAction k;
  k.handler = a.sa_flags & SA_SIGINFO ? reinterpret_cast<void*>(a.sa_sigaction)
                                      : reinterpret_cast<void*>(a.sa_handler);
  k.flags = static_cast<unsigned>(a.sa_flags);
  std::memcpy(&k.mask, &a.sa_mask, sizeof k.mask);
  return k;
}

struct sigaction to_libc(const KernelAction& k) {
  struct sigaction a {};
  a.sa_flags = static_cast<int>(k.flags & ~static_cast<unsigned long>(SA_RESTORER));
  if (a.sa_flags & SA_SIGINFO)
    a.sa_sigaction = reinterpret_cast<Handler>(k.handler);
  else
    a.sa_handler = reinterpret_cast<void (*)(int)>(k.handler);
  std::memcpy(&a.sa_mask, &k.mask, sizeof k.mask);
  return a;
}

}  // namespace

void open_this_mask() {
  std::uint64_t set = our_signals;
  kernel::call(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, nullptr, 8);
}

bool take_signals(Handler on_segv, Handler on_sys) {
  std::lock_guard lock(writers);
  KernelAction old_segv, old_sys, segv = our_action(on_segv), sys = our_action(on_sys);
  if (!kernel_action(SIGSEGV, nullptr, &old_segv) || !kernel_action(SIGSYS, nullptr, &old_sys)) return false;
  program_segv.store(old_segv);
  program_sys.store(old_sys);
  if (!kernel_action(SIGSEGV, &segv, nullptr) || !kernel_action(SIGSYS, &sys, nullptr)) return false;
  open_all_masks();
  open_this_mask();
  taken.store(true);
  return true;
}

void return_signals() {
  std::lock_guard lock(writers);
  if (!taken.exchange(false)) return;
  for (int signal : {SIGSEGV, SIGSYS}) {
    KernelAction a = remembered(signal).load();
    if (!(a.flags & SA_RESTORER)) {  // remembered in libc's form
      a.restorer = reinterpret_cast<void*>(lapwing_kernel_restore);
      a.flags |= SA_RESTORER;
    }
    kernel_action(signal, &a, nullptr);
  }
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const bool sent = info->si_code <= 0;
  const KernelAction a = remembered(signal).load();
  if (a.handler == reinterpret_cast<void*>(SIG_IGN) && sent) return;
  if (a.handler == reinterpret_cast<void*>(SIG_DFL) || a.handler == reinterpret_cast<void*>(SIG_IGN)) {
    if (sent || signal == SIGSYS)
      send_again(signal, info);
    else
      set_default(signal);  // the instruction faults again, now as without this handler
    return;
  }
  if (a.flags & SA_RESETHAND) remembered(signal).forget_handler();
  std::uint64_t mask = a.mask;
  if (!(a.flags & SA_NODEFER)) mask |= bit(signal);
  // Undone by the return from the signal, as the kernel does it.
  kernel::call(SYS_rt_sigprocmask, SIG_BLOCK, &mask, nullptr, 8);
  if (a.flags & SA_SIGINFO)
    reinterpret_cast<Handler>(a.handler)(signal, info, context);
  else
    reinterpret_cast<void (*)(int)>(a.handler)(signal);
}

bool remember_action(int signal, const struct sigaction* wanted, struct sigaction* old, int* result) {
  if (!taken.load(std::memory_order_relaxed) || (signal != SIGSEGV && signal != SIGSYS)) return false;
  std::lock_guard lock(writers);
  if (!taken.load()) return false;
  KernelAction before = remembered(signal).load();
  if (wanted) remembered(signal).store(to_kernel(*wanted));
  if (old) *old = to_libc(before);
  *result = 0;
  return true;
}

bool open_set(const sigset_t* set, sigset_t* copy) {
  if (!set || !taken.load(std::memory_order_relaxed)) return false;
  *copy = *set;
  sigdelset(copy, SIGSEGV);
  sigdelset(copy, SIGSYS);
  return true;
}

namespace {

constexpr std::size_t alternate_size = 256 * 1024;

void drop_alternate_stack(void* base) {
  stack_t now{};
  if (kernel::call(SYS_sigaltstack, nullptr, &now) == 0 && now.ss_sp == base) {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    kernel::call(SYS_sigaltstack, &none, nullptr);
  }
  kernel::unmap(base, alternate_size);
}

}  // namespace

void provide_alternate_stack() {
  static __attribute__((tls_model("initial-exec"))) thread_local bool done = false;
  if (done) return;
  static pthread_key_t at_thread_end;
  static const int made = pthread_key_create(&at_thread_end, drop_alternate_stack);
  done = true;
  stack_t now{};
  if (made != 0 || kernel::call(SYS_sigaltstack, nullptr, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
  stack_t ours{};
  ours.ss_size = alternate_size;
  ours.ss_sp = kernel::map_anonymous(alternate_size, PROT_READ | PROT_WRITE);
  if (!ours.ss_sp) return;
  if (kernel::call(SYS_sigaltstack, &ours, nullptr) == 0)
    pthread_setspecific(at_thread_end, ours.ss_sp);
  else
    kernel::unmap(ours.ss_sp, alternate_size);
}

}  // namespace lapwing::guard
