// SPDX-License-Identifier: Apache-2.0
#include "guard/breakpoints.hpp"

#include <link.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace lapwing::guard {
namespace {

constexpr int registers = 4;
constexpr int perf_trap = 6;  // TRAP_PERF, which glibc's headers may not have

struct Register {
  int file = -1;
  bool used = false;
  std::atomic<std::uintptr_t> at{0};
  std::atomic<const void*> what{nullptr};
};
Register breakpoint_registers[registers];
Breakpoints::Touched breakpoint_touched = nullptr;
pthread_t breakpoint_thread;
struct sigaction former_trap;

/// Code whose accesses are not the program's.
struct Code {
  std::uintptr_t begin, end;
};
constexpr std::size_t most_code = 512;
Code foreign_code[most_code];
std::atomic<std::size_t> foreign_code_count{0};
unsigned long long objects_seen = 0;

bool is_foreign(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  const char* const name = slash ? slash + 1 : path;
  for (const char* prefix : {"libc.", "libc-", "ld-linux", "libm.", "libpthread", "libstdc++", "libgcc_s",
                             "liblapwing", "libmpi", "libpmpi", "libopen-", "libuc", "mca_", "libmca",
                             "libpmix", "libfabric", "libfmpich", "libhwloc", "libevent"}) {
    if (std::strncmp(name, prefix, std::strlen(prefix)) == 0) return true;
  }
  return false;
}

int note_code(dl_phdr_info* info, std::size_t, void*) {
  if (!is_foreign(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::size_t count = foreign_code_count.load(std::memory_order_relaxed);
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0 || count == most_code) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    foreign_code[count] = {begin, begin + segment.p_memsz};
    foreign_code_count.store(count + 1, std::memory_order_release);
  }
  return 0;
}

int look_for_new(dl_phdr_info* info, std::size_t, void* changed) {
  *static_cast<bool*>(changed) = info->dlpi_adds != objects_seen;
  objects_seen = info->dlpi_adds;
  return 1;
}

// Libraries may have been loaded since the last time.
void note_foreign_code() {
  bool changed = false;
  dl_iterate_phdr(look_for_new, &changed);
  if (!changed) return;
  foreign_code_count.store(0);
  dl_iterate_phdr(note_code, nullptr);
}

bool is_foreign_code(std::uintptr_t pc) {
  const std::size_t count = foreign_code_count.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i)
    if (pc >= foreign_code[i].begin && pc < foreign_code[i].end) return true;
  return false;
}

void on_trap(int signal, siginfo_t* info, void* context) {
  if (info->si_code != perf_trap) {
    if (former_trap.sa_flags & SA_SIGINFO) {
      former_trap.sa_sigaction(signal, info, context);
    } else if (former_trap.sa_handler != SIG_DFL && former_trap.sa_handler != SIG_IGN) {
      former_trap.sa_handler(signal);
    }
    return;
  }
  const auto pc = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (is_foreign_code(pc - 1)) return;
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const Register& one : breakpoint_registers) {
    const void* const what = one.what.load();
    if (what && one.at.load() == at && breakpoint_touched) breakpoint_touched(what);
  }
}

perf_event_attr attributes_of(std::uintptr_t at, std::size_t length, bool writes_only) {
  perf_event_attr attributes;
  std::memset(&attributes, 0, sizeof attributes);
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.size = sizeof attributes;
  attributes.bp_type = writes_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
  attributes.bp_addr = at;
  attributes.bp_len = length;
  attributes.sample_period = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.sigtrap = 1;
  attributes.remove_on_exec = 1;
  return attributes;
}

bool set(Register& one, perf_event_attr attributes) {
  if (one.file >= 0) {
    if (ioctl(one.file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attributes) == 0 &&
        ioctl(one.file, PERF_EVENT_IOC_ENABLE, 0) == 0)
      return true;
    close(one.file);
  }
  one.file = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  return one.file >= 0;
}

}  // namespace

void Breakpoints::start(Touched touched) {
  breakpoint_touched = touched;
  breakpoint_thread = pthread_self();
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = on_trap;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGTRAP, &action, &former_trap);
}

void Breakpoints::stop() {
  if (!breakpoint_touched) return;
  breakpoint_touched = nullptr;
  for (Register& one : breakpoint_registers) {
    if (one.file >= 0) close(one.file);
    one.file = -1;
  }
  sigaction(SIGTRAP, &former_trap, nullptr);
}

int Breakpoints::watch(const char* begin, const char* end, bool writes_only, const void* what) {
  if (!breakpoint_touched || begin == end || !pthread_equal(breakpoint_thread, pthread_self())) return none;
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  std::size_t length = 8;
  while (length > static_cast<std::size_t>(end - begin) || at % length != 0) length /= 2;
  for (int i = 0; i < registers; ++i) {
    Register& one = breakpoint_registers[i];
    if (one.used) continue;
    note_foreign_code();
    one.at = at;
    one.what = what;
    one.used = set(one, attributes_of(at, length, writes_only));
    if (!one.used) one.what = nullptr;
    return one.used ? i : none;
  }
  return none;
}

void Breakpoints::forget(int number) {
  if (number == none) return;
  Register& one = breakpoint_registers[number];
  if (one.file >= 0) ioctl(one.file, PERF_EVENT_IOC_DISABLE, 0);
  one.what = nullptr;
  one.used = false;
}

}  // namespace lapwing::guard
