// SPDX-License-Identifier: Apache-2.0
#include "guard/dispatch.hpp"

#include <linux/prctl.h>
#include <linux/sched.h>
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
extern char lapwing_kernel_resume[], lapwing_kernel_resume_with_copy[], lapwing_kernel_restore[];
}

namespace lapwing::guard::dispatch {
namespace {

constexpr int code_user_dispatch = 2;  // SYS_USER_DISPATCH, newer than Debian 12's headers

// The kernel reads this at each system call of a watched thread. Never freed:
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

// resume() leaves on the stack: the address to return to, room for a copy of
// an argument, and untouched above it the red zone of the caller.
constexpr std::size_t plain_frame = 8 + 128;
constexpr std::size_t copy_room = 128;
constexpr std::size_t frame_with_copy = 8 + copy_room + 128;

void put(greg_t address, const void* bytes, std::size_t length) {
  std::memcpy(reinterpret_cast<void*>(address), bytes, length);
}

// Continues behind the system call instruction by way of code that may enter
// the kernel.
void resume(greg_t* r) {
  greg_t back = r[REG_RIP];
  r[REG_RSP] -= plain_frame;
  put(r[REG_RSP], &back, sizeof back);
  r[REG_RIP] = reinterpret_cast<greg_t>(lapwing_kernel_resume);
}

void resume_with_copy(greg_t* r, greg_t& argument, const void* copy, std::size_t length) {
  greg_t back = r[REG_RIP];
  r[REG_RSP] -= frame_with_copy;
  put(r[REG_RSP], &back, sizeof back);
  put(r[REG_RSP] + 8, copy, length);
  argument = r[REG_RSP] + 8;
  r[REG_RIP] = reinterpret_cast<greg_t>(lapwing_kernel_resume_with_copy);
}

// The next touch of a guard kills a thread that blocks SIGSEGV or SIGSYS.
bool resume_with_open_mask(greg_t* r) {
  if (r[REG_RDI] == SIG_UNBLOCK || r[REG_RSI] == 0 || r[REG_R10] != 8) return false;
  std::uint64_t set;
  std::memcpy(&set, reinterpret_cast<void*>(r[REG_RSI]), sizeof set);
  set &= ~(std::uint64_t{1} << (SIGSEGV - 1) | std::uint64_t{1} << (SIGSYS - 1));
  resume_with_copy(r, r[REG_RSI], &set, sizeof set);
  return true;
}

// A thread or child on a stack of its own comes out of resume() as well, so it
// finds the address to return to on that stack.
bool resume_with_child_stack(greg_t* r, long number) {
  greg_t back = r[REG_RIP];
  if (number == SYS_clone && r[REG_RSI] != 0) {
    r[REG_RSI] -= plain_frame;
    put(r[REG_RSI], &back, sizeof back);
    resume(r);
    return true;
  }
  clone_args a{};
  if (number != SYS_clone3 || r[REG_RSI] < 64 || r[REG_RSI] > static_cast<greg_t>(copy_room)) return false;
  std::memcpy(
      &a, reinterpret_cast<void*>(r[REG_RDI]),
      sizeof a < static_cast<std::size_t>(r[REG_RSI]) ? sizeof a : static_cast<std::size_t>(r[REG_RSI]));
  if (a.stack == 0 || a.stack_size < 2 * frame_with_copy || r[REG_RSI] > static_cast<greg_t>(sizeof a))
    return false;
  a.stack_size -= frame_with_copy;
  put(static_cast<greg_t>(a.stack + a.stack_size), &back, sizeof back);
  resume_with_copy(r, r[REG_RDI], &a, static_cast<std::size_t>(r[REG_RSI]));
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

void regions_opened() {
  if (!running()) return;
  for (int i = 0, n = threads_used.load(); i < n; ++i)
    threads[i].selector.store(SYSCALL_DISPATCH_FILTER_ALLOW);
  if (closed_regions.load() > 0) regions_closed();
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
  {
    Unwatched own;
    if (self->own_calls.load() == 1) await_arguments(number, arguments);
  }
  errno = saved;
  if (shares_memory(number, arguments)) {
    if (resume_with_child_stack(r, number)) return true;
    // vfork: the child comes back on this very stack and would spoil what
    // resume() leaves there, so nothing is looked at for now.
    if (!lapsed) enter(*self);
    lapsed = true;
    r[REG_RIP] -= 2;
  } else if (number != SYS_rt_sigprocmask || !resume_with_open_mask(r)) {
    resume(r);
  }
  return true;
}

bool making_own_calls() { return self && self->own_calls.load() > 0 && !lapsed; }

void enter_section() {
  if (self) enter(*self);
}

void leave_section() {
  if (self) leave(*self);
}

Unwatched::Unwatched() { enter_section(); }
Unwatched::~Unwatched() { leave_section(); }

}  // namespace lapwing::guard::dispatch

namespace lapwing::guard {

EngineSection::EngineSection() { dispatch::enter_section(); }
EngineSection::~EngineSection() { dispatch::leave_section(); }

}  // namespace lapwing::guard
