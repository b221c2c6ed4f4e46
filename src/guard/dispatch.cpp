// SPDX-License-Identifier: Apache-2.0
#include "guard/dispatch.hpp"

#include <linux/prctl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <cerrno>
#include <cstring>

#include "guard/kernel.hpp"
#include "guard/registry.hpp"
#include "guard/syscall_arguments.hpp"

extern "C" {
extern char lapwing_kernel_begin[], lapwing_kernel_end[];
extern char lapwing_kernel_resume[], lapwing_kernel_resume_with_set[], lapwing_kernel_restore[];
}

namespace lapwing::guard::dispatch {
namespace {

constexpr int code_user_dispatch = 2;  // SYS_USER_DISPATCH, newer than Debian 12's headers

// What the kernel reads at each system call of a watched thread. Never freed:
// the kernel may look until the thread has ended.
struct alignas(64) Watched {
  std::atomic<bool> used{false};
  std::atomic<std::uint8_t> selector{SYSCALL_DISPATCH_FILTER_ALLOW};
  std::atomic<int> own_calls{0};  // depth of sections in which calls are not looked at
};
constexpr int most_threads = 1024;
Watched threads[most_threads];
std::atomic<int> threads_used{0};
std::atomic<bool> on{false};
pthread_key_t at_thread_end;

__attribute__((tls_model("initial-exec"))) thread_local Watched* self = nullptr;
// After vfork or clone no system call of the thread is looked at until it
// closes a region itself or makes a section.
__attribute__((tls_model("initial-exec"))) thread_local bool lapsed = false;

long set_dispatch(bool enable, void* selector) {
  if (!enable) return kernel::call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF);
  return kernel::call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, lapwing_kernel_begin,
                      lapwing_kernel_end - lapwing_kernel_begin, selector);
}

void enter(Watched& t) {
  t.own_calls.fetch_add(1);
  t.selector.store(SYSCALL_DISPATCH_FILTER_ALLOW);
}

// Ordered against regions_closed(): one of the two sees the other.
void leave(Watched& t) {
  if (t.own_calls.fetch_sub(1) != 1) return;
  if (closed_regions.load() > 0) t.selector.store(SYSCALL_DISPATCH_FILTER_BLOCK);
}

void end_lapse() {
  if (!lapsed) return;
  lapsed = false;
  leave(*self);
}

// Continues behind the system call instruction by way of code that may enter
// the kernel; the return address lies below the red zone of what called.
void resume(greg_t* r) {
  std::uint64_t back = static_cast<std::uint64_t>(r[REG_RIP]);
  r[REG_RSP] -= 136;
  std::memcpy(reinterpret_cast<void*>(r[REG_RSP]), &back, sizeof back);
  r[REG_RIP] = reinterpret_cast<greg_t>(lapwing_kernel_resume);
}

// Whoever blocks SIGSEGV or SIGSYS is killed by the next touch of a guard.
bool resume_with_open_mask(greg_t* r) {
  if (r[REG_RDI] == SIG_UNBLOCK || r[REG_RSI] == 0 || r[REG_R10] != 8) return false;
  std::uint64_t set;
  std::memcpy(&set, reinterpret_cast<void*>(r[REG_RSI]), sizeof set);
  set &= ~(std::uint64_t{1} << (SIGSEGV - 1) | std::uint64_t{1} << (SIGSYS - 1));
  std::uint64_t frame[2] = {static_cast<std::uint64_t>(r[REG_RIP]), set};
  r[REG_RSP] -= 144;
  std::memcpy(reinterpret_cast<void*>(r[REG_RSP]), frame, sizeof frame);
  r[REG_RSI] = r[REG_RSP] + 8;
  r[REG_RIP] = reinterpret_cast<greg_t>(lapwing_kernel_resume_with_set);
  return true;
}

}  // namespace

bool available() {
  std::uint8_t byte = SYSCALL_DISPATCH_FILTER_ALLOW;
  if (self) return true;
  if (set_dispatch(true, &byte) != 0) return false;
  set_dispatch(false, nullptr);
  return true;
}

void start() {
  static const int made = pthread_key_create(&at_thread_end, [](void*) { unwatch_this_thread(); });
  if (made != 0) return;
  on.store(true);
  watch_this_thread();
}

void stop() {
  on.store(false);
  for (Watched& t : threads) t.selector.store(SYSCALL_DISPATCH_FILTER_ALLOW);
  unwatch_this_thread();
}

void abandon() {
  on.store(false);
  self = nullptr;  // the kernel does not hand dispatch down to a child
  lapsed = false;
  for (Watched& t : threads) {
    t.used.store(false);
    t.own_calls.store(0);
    t.selector.store(SYSCALL_DISPATCH_FILTER_ALLOW);
  }
}

bool running() { return on.load(std::memory_order_relaxed); }

void watch_this_thread() {
  if (!running() || on_engine_thread()) return;
  if (self) return end_lapse();
  for (int i = 0; i < most_threads; ++i) {
    bool expected = false;
    if (!threads[i].used.compare_exchange_strong(expected, true)) continue;
    Watched& t = threads[i];
    t.own_calls.store(0);
    t.selector.store(SYSCALL_DISPATCH_FILTER_ALLOW);
    int seen = threads_used.load();
    while (seen <= i && !threads_used.compare_exchange_weak(seen, i + 1)) {
    }
    if (set_dispatch(true, &t.selector) != 0) {
      t.used.store(false);
      return;
    }
    self = &t;
    pthread_setspecific(at_thread_end, &t);
    if (closed_regions.load() > 0) t.selector.store(SYSCALL_DISPATCH_FILTER_BLOCK);
    return;
  }
}

void unwatch_this_thread() {
  if (!self) return;
  set_dispatch(false, nullptr);
  Watched& t = *self;
  self = nullptr;
  lapsed = false;
  t.used.store(false);
}

void regions_closed() {
  for (int i = 0, n = threads_used.load(); i < n; ++i)
    if (threads[i].used.load() && threads[i].own_calls.load() == 0)
      threads[i].selector.store(SYSCALL_DISPATCH_FILTER_BLOCK);
}

bool handle(siginfo_t* info, void* context) {
  if (info->si_code != code_user_dispatch || !self) return false;
  greg_t* r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long number = info->si_syscall;
  if (number == SYS_rt_sigreturn) {
    // The frame that it takes down lies at the stack pointer, as for libc's own.
    r[REG_RIP] = reinterpret_cast<greg_t>(lapwing_kernel_restore);
    return true;
  }
  const long arguments[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
  int saved = errno;
  bool shares_stack = shares_memory(number, arguments);
  {
    Unwatched own;
    if (self->own_calls.load() == 1) await_arguments(number, arguments);
  }
  errno = saved;
  if (shares_stack) {
    // The child comes back from the same instruction on the same stack, or on
    // another: it must not pass through resume(), so nothing is looked at.
    if (!lapsed) enter(*self);
    lapsed = true;
    r[REG_RIP] -= 2;
  } else if (closed_regions.load() == 0) {
    self->selector.store(SYSCALL_DISPATCH_FILTER_ALLOW);
    if (closed_regions.load() == 0) {
      r[REG_RIP] -= 2;  // asked again if a region has closed by then
    } else {
      self->selector.store(SYSCALL_DISPATCH_FILTER_BLOCK);
      resume(r);
    }
  } else if (number != SYS_rt_sigprocmask || !resume_with_open_mask(r)) {
    resume(r);
  }
  return true;
}

Unwatched::Unwatched() {
  if (self) enter(*self);
}

Unwatched::~Unwatched() {
  if (self) leave(*self);
}

}  // namespace lapwing::guard::dispatch
