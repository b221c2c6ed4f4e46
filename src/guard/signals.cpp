// SPDX-License-Identifier: Apache-2.0
// The back end without privilege: closed pages are inaccessible to the
// processor, and the thread that touches one sleeps in its signal handler.
#include <fcntl.h>

#include <cerrno>

#include "guard/backend.hpp"
#include "guard/dispatch.hpp"
#include "guard/registry.hpp"
#include "guard/signal_actions.hpp"
#include "guard/signals.hpp"

namespace lapwing::guard::signals {
namespace {

int memory_fd = -1;

// A fault that found no region may be one whose region has just gone: it is
// tried again, once for each change of the table.
struct Unclaimed {
  std::uintptr_t address = 0, instruction = 0;
  std::uint32_t changes = 0;
};
__attribute__((tls_model("initial-exec"))) thread_local Unclaimed unclaimed;

bool claimed_now(std::uintptr_t address, std::uintptr_t instruction) {
  Unclaimed now{address, instruction, generation()};
  bool again = unclaimed.address == now.address && unclaimed.instruction == now.instruction &&
               unclaimed.changes == now.changes;
  unclaimed = now;
  return !again;
}

bool wait_at(std::uintptr_t address, std::uintptr_t instruction) {
  std::uintptr_t page = page_down(address);
  for (int i = -1; (i = find_slot(page, page + 1, i + 1)) >= 0;) {
    if (!note_fault(i, address, static_cast<std::uint32_t>(kernel::call(SYS_gettid)), instruction)) continue;
    demand_now();
    wait_for_page(page, i);
    return true;
  }
  return false;
}

void on_segv(int signal, siginfo_t* info, void* context) {
  if (info->si_code == SEGV_ACCERR && !on_engine_thread()) {
    int saved = errno;
    bool ours;
    {
      dispatch::Unwatched own;
      std::uintptr_t address = address_of(info->si_addr);
      auto instruction =
          static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
      ours = wait_at(address, instruction) || claimed_now(address, instruction);
    }
    errno = saved;
    if (ours) return;
  }
  pass_on(signal, info, context);
}

void on_sys(int signal, siginfo_t* info, void* context) {
  if (!dispatch::handle(info, context)) pass_on(signal, info, context);
}

}  // namespace

bool write_closed(const char* target, const char* source, std::size_t length) {
  std::size_t done = 0;
  while (done < length) {
    long n = kernel::call(SYS_pwrite64, memory_fd, source + done, length - done, target + done);
    if (n == -EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

void prepare_thread() {
  static __attribute__((tls_model("initial-exec"))) thread_local bool prepared = false;
  if (!prepared) {
    prepared = true;
    open_this_mask();
    provide_alternate_stack();
  }
  dispatch::watch_this_thread();
}

// Not where the kernel forbids it (proc_mem.force_override), nor in a process that others may not look into,
// as that of a program which its user may run but not read.
static bool may_write_closed_pages() {
  const int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (memory < 0) return false;
  void* const page = kernel::map_anonymous(page_size, PROT_NONE);
  const char byte = 1;
  const bool may = page && kernel::call(SYS_pwrite64, memory, &byte, 1, page) == 1;
  if (page) kernel::unmap(page, page_size);
  close(memory);
  return may;
}

Ability probe() {
  Ability a;
  a.usable = may_write_closed_pages();
  if (!a.usable) {
    a.reason =
        "what arrives in pages that mprotect guards could not be written, since /proc/self/mem does not let "
        "it";
    return a;
  }
  a.syscall_dispatch = dispatch::available();
  a.reason = a.syscall_dispatch
                 ? "pages are guarded by mprotect, system calls by Syscall User Dispatch"
                 : "Syscall User Dispatch (Linux 5.11) cannot be had, so a system call on a page guarded by "
                   "mprotect would fail: mprotect is used only where LAPWING_GUARD=mprotect asks for it";
  return a;
}

bool start(bool looks_at_calls) {
  memory_fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
  if (!take_signals(on_segv, on_sys)) return false;
  if (looks_at_calls && dispatch::available()) dispatch::start();
  if (!on_engine_thread()) prepare_thread();
  return true;
}

void stop() {
  dispatch::stop();
  return_signals();
  if (memory_fd >= 0) close(memory_fd);
  memory_fd = -1;
}

void abandon() {
  dispatch::abandon();
  return_signals();
  if (memory_fd >= 0) close(memory_fd);
  memory_fd = -1;
}

}  // namespace lapwing::guard::signals
