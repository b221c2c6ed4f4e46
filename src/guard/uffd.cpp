// SPDX-License-Identifier: Apache-2.0
#include "guard/uffd.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "guard/backend.hpp"
#include "guard/registry.hpp"

namespace lapwing::guard::uffd {
namespace {

int fd = -1;
bool can_move = false;
bool can_protect = false;
bool aliases = true;

// With kernel faults or not at all: a system call on a closed page must wait.
int open_descriptor() {
  int d = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  if (d >= 0) return d;
  int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  d = ioctl(device, kernel::new_descriptor_request, O_CLOEXEC | O_NONBLOCK);
  close(device);
  return d;
}

std::uint64_t offered_features() {
  int d = open_descriptor();
  if (d < 0) return 0;
  uffdio_api api{UFFD_API, 0, 0};
  bool ok = ioctl(d, UFFDIO_API, &api) == 0;
  close(d);
  return ok ? api.features : 0;
}

constexpr std::uint64_t needed = kernel::feature_thread_id;
constexpr std::uint64_t useful = kernel::feature_exact_address | kernel::feature_wp |
                                 kernel::feature_wp_unpopulated | kernel::feature_move;

void copy(char* target, char* source, std::size_t length) {
  std::size_t done = 0;
  std::size_t most = length;  // one request stays inside one mapping
  while (done < length) {
    std::size_t n = std::min(most, length - done);
    uffdio_copy request{address_of(target) + done, address_of(source) + done, n, 0, 0};
    if (ioctl(fd, UFFDIO_COPY, &request) == 0) {
      done += n;
    } else if (request.copy > 0) {
      done += static_cast<std::size_t>(request.copy);
    } else if (errno == EAGAIN) {
      sched_yield();  // the map is being changed by another thread
    } else if (n > page_size) {
      most = page_size;
    } else {
      done += page_size;  // no longer mapped, or mapped anew: not ours to fill
    }
  }
}

}  // namespace

bool watch(char* begin, std::size_t length, std::uint64_t mode) {
  uffdio_register request{{address_of(begin), length}, mode, 0};
  return ioctl(fd, UFFDIO_REGISTER, &request) == 0;
}

void unwatch(char* begin, std::size_t length) {
  uffdio_range range{address_of(begin), length};
  ioctl(fd, UFFDIO_UNREGISTER, &range);
}

bool protect(char* begin, std::size_t length, bool closed) {
  uffdio_writeprotect request{{address_of(begin), length}, closed ? UFFDIO_WRITEPROTECT_MODE_WP : 0};
  int r;
  while ((r = ioctl(fd, UFFDIO_WRITEPROTECT, &request)) != 0 && errno == EAGAIN) sched_yield();
  return r == 0;
}

void wake(char* begin, std::size_t length) {
  uffdio_range range{address_of(begin), length};
  ioctl(fd, UFFDIO_WAKE, &range);
}

void supply(char* target, char* source, std::size_t length, bool movable) {
  if (!movable || !can_move) {
    copy(target, source, length);
    wake(target, length);
    return;
  }
  std::size_t done = 0;
  int patience = 64;
  while (done < length) {
    kernel::Move request{address_of(target) + done, address_of(source) + done, length - done,
                         kernel::move_allow_holes, 0};
    if (ioctl(fd, kernel::move_request, &request) == 0) return;
    if (request.moved > 0) {
      done += static_cast<std::size_t>(request.moved);
      patience = 64;
    } else if (errno == EAGAIN && patience-- > 0) {
      sched_yield();
    } else if (errno == EBUSY || errno == EAGAIN || errno == EEXIST) {
      // Shared by a fork, pinned by a device, or there already: this page alone.
      copy(target + done, source + done, page_size);
      wake(target + done, page_size);
      done += page_size;
      patience = 64;
    } else {
      copy(target + done, source + done, length - done);
      wake(target + done, length - done);
      return;
    }
  }
}

bool alias_allowed() { return aliases; }

Ability probe() {
  Ability a;
  std::uint64_t features = offered_features();
  if ((features & needed) != needed) {
    a.reason = features ? "this kernel's userfaultfd lacks thread ids (Linux 4.14 or newer is needed)"
                        : "userfaultfd with kernel faults is not permitted (needs CAP_SYS_PTRACE, access to "
                          "/dev/userfaultfd, or vm.unprivileged_userfaultfd=1)";
    return a;
  }
  a.move = features & kernel::feature_move;
  a.write_protect = features & kernel::feature_wp;
  a.usable = a.write_protect;
  a.reason = a.usable ? "userfaultfd with kernel faults is permitted"
                      : "this kernel cannot write-protect by userfaultfd";
  return a;
}

bool start() {
  std::uint64_t features = offered_features();
  if ((features & needed) != needed) return false;
  fd = open_descriptor();
  if (fd < 0) return false;
  uffdio_api api{UFFD_API, features & (needed | useful), 0};
  if (ioctl(fd, UFFDIO_API, &api) != 0) {
    stop();
    return false;
  }
  can_move = features & kernel::feature_move;
  can_protect = features & kernel::feature_wp;
  return can_protect;
}

void stop() {
  if (fd >= 0) close(fd);
  fd = -1;
}

void abandon() { stop(); }
int descriptor() { return fd; }

void limit(bool no_move, bool no_alias) {
  if (no_move) can_move = false;
  aliases = !no_alias;
}

namespace {

// Of a thread that sleeps in the kernel at a closed page: "NUMBER ARGUMENTS SP PC", or "-1 SP PC". 0 where
// the kernel does not tell.
std::uintptr_t instruction_of(std::uint32_t thread) {
  char name[64], text[256];
  std::snprintf(name, sizeof name, "/proc/self/task/%u/syscall", thread);
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  const char* const last = std::strrchr(text, ' ');
  return last ? std::strtoul(last + 1, nullptr, 16) : 0;
}

void note_place(int slot, std::uint32_t thread) {
  Hold region(slot);
  if (region && region->asks_place.load() && region->faults.load() == 1)
    region->first_place.store(instruction_of(thread));
}

void serve_fault(std::uintptr_t address, std::uint32_t thread, bool protection) {
  std::uintptr_t page = page_down(address);
  for (int i = -1; (i = find_slot(page, page + 1, i + 1)) >= 0;)
    if (note_fault(i, address, thread)) {
      note_place(i, thread);
      demand_now();
      return;
    }
  // Open by now. A page to which nothing was ever written is missing still: give zeroes.
  if (!protection) {
    uffdio_zeropage request{{page, page_size}, 0, 0};
    if (ioctl(fd, UFFDIO_ZEROPAGE, &request) == 0) return;
  }
  wake(pointer_to(page), page_size);
}

}  // namespace

void serve() {
  uffd_msg events[32];
  for (;;) {
    ssize_t n = read(fd, events, sizeof events);
    if (n <= 0) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) / sizeof events[0]; ++i) {
      const uffd_msg& e = events[i];
      if (e.event != UFFD_EVENT_PAGEFAULT) continue;
      serve_fault(e.arg.pagefault.address, e.arg.pagefault.feat.ptid,
                  e.arg.pagefault.flags & UFFD_PAGEFAULT_FLAG_WP);
    }
  }
}

}  // namespace lapwing::guard::uffd
