// SPDX-License-Identifier: Apache-2.0
#include "guard/syscall_arguments.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>

#include "guard/kernel.hpp"
#include "guard/registry.hpp"
#include "guard/syscall_table.hpp"

namespace lapwing::guard::dispatch {
namespace {

std::uint64_t clone_flags(long number, const long (&a)[6]) {
  if (number == SYS_clone) return static_cast<std::uint64_t>(a[0]);
  std::uint64_t flags = 0;
  if (a[0] != 0 && a[1] >= 8) std::memcpy(&flags, reinterpret_cast<void*>(a[0]), sizeof flags);
  return flags;
}

// Calls that make a copy of all memory, or replace it, or reach it through
// structures unknown here: they wait until nothing is closed.
bool touches_anything(long number, const long (&a)[6]) {
  switch (number) {
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
    default:
      return false;
  }
}

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 47;

void await_range(std::uint64_t address, std::uint64_t length, bool reads) {
  if (address < page_size || address >= most_bytes) return;
  if (length > most_bytes) length = most_bytes;
  if (reads)
    await_incoming(reinterpret_cast<void*>(address), length);
  else
    await(reinterpret_cast<void*>(address), length);
}

// Page by page, up to its end; only where a closed page is near, so that a bad
// pointer remains the kernel's affair.
void await_string(std::uint64_t address) {
  constexpr std::size_t longest_path = 4096;
  if (address < page_size || address >= most_bytes) return;
  while (meets_closed(reinterpret_cast<void*>(address), longest_path)) {
    await_incoming(reinterpret_cast<void*>(address), 1);
    do {
      if (*reinterpret_cast<const char*>(address) == 0) return;
    } while (++address % page_size != 0);
  }
}

void await_known(const Call& call, const long (&a)[6]) {
  for (const Argument& p : call.arguments) {
    if (p.size == 0) return;
    auto address = static_cast<std::uint64_t>(a[p.at]);
    if (p.count == string) {
      await_string(address);
    } else {
      std::uint64_t n = p.count == once ? 1 : static_cast<std::uint64_t>(a[p.count]);
      await_range(address, n > most_bytes ? most_bytes : n * p.size, p.reads);
    }
  }
}

// Lists of buffers, as MPI's own transports use them while they hold its lock:
// exactly what they name may be waited for, and nothing else.
void await_vector(std::uint64_t vector, std::uint64_t count, bool reads) {
  constexpr std::uint64_t longest = 1024;  // IOV_MAX
  if (vector < page_size || count == 0 || count > longest) return;
  await_range(vector, count * sizeof(iovec), true);
  const auto* v = reinterpret_cast<const iovec*>(vector);
  for (std::uint64_t i = 0; i < count; ++i)
    await_range(reinterpret_cast<std::uint64_t>(v[i].iov_base), v[i].iov_len, reads);
}

void await_message(std::uint64_t address, bool reads) {
  if (address < page_size) return;
  await_range(address, sizeof(msghdr), reads);
  const auto* m = reinterpret_cast<const msghdr*>(address);
  await_range(reinterpret_cast<std::uint64_t>(m->msg_name), m->msg_namelen, reads);
  await_range(reinterpret_cast<std::uint64_t>(m->msg_control), m->msg_controllen, reads);
  await_vector(reinterpret_cast<std::uint64_t>(m->msg_iov), m->msg_iovlen, reads);
}

void await_messages(std::uint64_t address, std::uint64_t count, bool reads) {
  if (address < page_size || count > 1024) return;
  await_range(address, count * sizeof(mmsghdr), false);  // the kernel writes each length
  for (std::uint64_t i = 0; i < count; ++i) await_message(address + i * sizeof(mmsghdr), reads);
}

// By its own number, or that of one of its threads.
bool is_this_process(long id) { return kernel::call(SYS_tgkill, kernel::call(SYS_getpid), id, 0) == 0; }

bool await_lists(long number, const long (&a)[6]) {
  auto u = [&](int i) { return static_cast<std::uint64_t>(a[i]); };
  switch (number) {
    case SYS_readv:
    case SYS_preadv:
    case SYS_preadv2:
      await_vector(u(1), u(2), false);
      return true;
    case SYS_writev:
    case SYS_pwritev:
    case SYS_pwritev2:
      await_vector(u(1), u(2), true);
      return true;
    case SYS_vmsplice:  // may lend the pages themselves
      await_vector(u(1), u(2), false);
      return true;
    case SYS_process_vm_readv:
    case SYS_process_vm_writev: {
      const bool writes = number == SYS_process_vm_writev;
      await_vector(u(1), u(2), writes);
      // The other side's list lies here, too; what it names does so only if that process is this one.
      if (is_this_process(a[0]))
        await_vector(u(3), u(4), !writes);
      else
        await_range(u(3), u(4) * sizeof(iovec), true);
      return true;
    }
    case SYS_sendmsg:
    case SYS_recvmsg:
      await_message(u(1), number == SYS_sendmsg);
      return true;
    case SYS_sendmmsg:
    case SYS_recvmmsg:
      await_messages(u(1), u(2), number == SYS_sendmmsg);
      return true;
    default:
      return false;
  }
}

// Calls in which another argument says whether one is a pointer at all. Where it is
// none, its register may hold a left-over that happens to name a closed page.
bool await_as_asked(long number, const long (&a)[6]) {
  auto u = [&](int i) { return static_cast<std::uint64_t>(a[i]); };
  switch (number) {
    case SYS_futex: {
      const auto operation = u(1) & FUTEX_CMD_MASK;
      const auto is = [&](auto... any) { return ((operation == static_cast<std::uint64_t>(any)) || ...); };
      await_range(u(0), sizeof(std::uint32_t), false);
      if (is(FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, FUTEX_LOCK_PI2, FUTEX_WAIT_REQUEUE_PI))
        await_range(u(3), sizeof(timespec), true);
      if (is(FUTEX_REQUEUE, FUTEX_CMP_REQUEUE, FUTEX_WAKE_OP, FUTEX_WAIT_REQUEUE_PI, FUTEX_CMP_REQUEUE_PI))
        await_range(u(4), sizeof(std::uint32_t), false);
      return true;
    }
    case SYS_mremap:
      await_range(u(0), u(1), false);
      if (u(3) & MREMAP_FIXED) await_range(u(4), u(2), false);
      return true;
    case SYS_mmap:
      if (u(3) & MAP_FIXED) await_range(u(0), u(1), false);
      return true;
    case SYS_fcntl:
      if (u(1) == F_GETLK || u(1) == F_SETLK || u(1) == F_SETLKW || u(1) >= F_OFD_GETLK)
        await_range(u(2), sizeof(struct flock), false);
      return true;
    default:
      return false;
  }
}

// A structure or a path of at most a page, or a buffer with its length behind.
void await_unknown(const long (&a)[6]) {
  for (int i = 0; i < 6; ++i) {
    std::uint64_t length = page_size;
    if (i < 5) {
      auto next = static_cast<std::uint64_t>(a[i + 1]);
      if (next > length && next < most_bytes) length = next;
    }
    await_range(static_cast<std::uint64_t>(a[i]), length, false);
  }
}

}  // namespace

bool shares_memory(long number, const long (&a)[6]) {
  if (number == SYS_vfork) return true;
  if (number == SYS_clone && a[1] != 0) return true;
  return (number == SYS_clone || number == SYS_clone3) && (clone_flags(number, a) & CLONE_VM);
}

void await_arguments(long number, const long (&a)[6]) {
  if (closed_regions.load() == 0) return;
  if (number == SYS_clone3)
    await_range(static_cast<std::uint64_t>(a[0]), static_cast<std::uint64_t>(a[1]), true);
  if (touches_anything(number, a)) return await_all();
  // All that lies above the new end is given back.
  if (number == SYS_brk) return await_range(static_cast<std::uint64_t>(a[0]), std::uint64_t{1} << 36, false);
  if (await_lists(number, a) || await_as_asked(number, a)) return;
  if (const Call* call = find_call(number)) return await_known(*call, a);
  await_unknown(a);
}

}  // namespace lapwing::guard::dispatch
