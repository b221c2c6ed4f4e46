// SPDX-License-Identifier: Apache-2.0
#include "guard/syscall_arguments.hpp"

#include <sched.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "guard/registry.hpp"

namespace lapwing::guard::dispatch {
namespace {

std::uint64_t clone_flags(long number, const long (&a)[6]) {
  if (number == SYS_clone) return static_cast<std::uint64_t>(a[0]);
  std::uint64_t flags = 0;
  if (a[0] != 0 && a[1] >= 8) std::memcpy(&flags, reinterpret_cast<void*>(a[0]), sizeof flags);
  return flags;
}

// Calls that reach memory through pointers in memory, or make a copy of all of
// it, or replace it: they wait until nothing is closed.
bool touches_anything(long number, const long (&a)[6]) {
  switch (number) {
    case SYS_readv:
    case SYS_writev:
    case SYS_preadv:
    case SYS_pwritev:
    case SYS_preadv2:
    case SYS_pwritev2:
    case SYS_sendmsg:
    case SYS_recvmsg:
    case SYS_sendmmsg:
    case SYS_recvmmsg:
    case SYS_vmsplice:
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
    case SYS_process_madvise:
    case SYS_io_submit:
    case SYS_io_uring_enter:
    case SYS_execve:
    case SYS_execveat:
    case SYS_fork:
    case SYS_vfork:
    case SYS_bpf:
      return true;
    case SYS_clone:
    case SYS_clone3: {
      // A thread shares the guards; a child has them not, or replaces the program.
      std::uint64_t flags = clone_flags(number, a);
      return !(flags & CLONE_VM) || (flags & CLONE_VFORK);
    }
    case SYS_ioctl:  // terminals have flat arguments, others may not
      return (a[1] & 0xff00) != 0x5400;
    default:
      return false;
  }
}

// The kernel only reads the buffer: pages of a send may stay closed.
bool only_reads(long number) {
  return number == SYS_write || number == SYS_sendto || number == SYS_pwrite64;
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 46;

}  // namespace

bool shares_memory(long number, const long (&a)[6]) {
  if (number == SYS_vfork) return true;
  if (number == SYS_clone && a[1] != 0) return true;
  return (number == SYS_clone || number == SYS_clone3) && (clone_flags(number, a) & CLONE_VM);
}

void await_arguments(long number, const long (&a)[6]) {
  if (closed_regions.load() == 0) return;
  if (number == SYS_clone3) await(reinterpret_cast<void*>(a[0]), page_size);
  if (touches_anything(number, a)) return await_all();
  for (int i = 0; i < 6; ++i) {
    std::uint64_t address = static_cast<std::uint64_t>(a[i]);
    if (address < page_size || address >= most_bytes) continue;
    // A structure or a path of at most a page, or a buffer with its length.
    std::uint64_t length = page_size;
    if (number == SYS_brk) {
      length = std::uint64_t{1} << 36;  // all that lies above is given back
    } else if (i < 5) {
      std::uint64_t next = static_cast<std::uint64_t>(a[i + 1]);
      if (next > length && next < most_bytes) length = next;
      // A length that is known to be short is short: what lies behind may stay closed.
      if ((number == SYS_read || only_reads(number)) && i == 1) length = next < most_bytes ? next : 0;
    }
    if (only_reads(number) && i == 1)
      await_incoming(reinterpret_cast<void*>(address), length);
    else
      await(reinterpret_cast<void*>(address), length);
  }
}

}  // namespace lapwing::guard::dispatch
