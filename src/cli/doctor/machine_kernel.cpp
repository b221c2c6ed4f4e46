// SPDX-License-Identifier: Apache-2.0
// Facts about the kernel and its memory.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "cli/doctor/machine_facts.hpp"
#include "cli/say.hpp"
#include "guard/guard.hpp"
#include "progress/cores.hpp"

namespace lapwing::cli {

namespace {

// Of kernels newer than the headers of the distribution.
constexpr std::uint64_t kUffdMove = 1ULL << 16;
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
constexpr int kSetSyscallUserDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH

/// struct procmap_query of Linux 6.11; only its size and place in the ioctl number matter.
struct ProcmapQuery {
  std::uint64_t size, query_flags, query_addr, vma_start, vma_end, vma_flags, vma_page_size, vma_offset,
      inode;
  std::uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
  std::uint64_t vma_name_addr, build_id_addr;
};

std::optional<long> number_in(const char* path) {
  std::ifstream file(path);
  long value = 0;
  if (!(file >> value)) return std::nullopt;
  return value;
}

Fact kernel_version() {
  utsname name{};
  ::uname(&name);
  int major = 0, minor = 0;
  std::sscanf(name.release, "%d.%d", &major, &minor);
  Fact fact{"kernel", Level::ok, fmt::format("Linux {} on {}", name.release, name.machine),
            "new enough for all guards"};
  if (std::string(name.machine) != "x86_64") {
    fact.level = Level::warn;
    fact.follows = "only x86_64 is tested";
  } else if (major < 5 || (major == 5 && minor < 7)) {
    fact.level = Level::no;
    fact.follows =
        "older than 5.7: no write protection by userfaultfd; Lapwing falls back to mprotect or stands aside";
  } else if (major < 6 || (major == 6 && minor < 8)) {
    fact.level = Level::warn;
    fact.follows = "older than 6.8: landed pages are copied to the program instead of moved (slower)";
  }
  return fact;
}

Fact userfaultfd_fact() {
  const long unprivileged = number_in("/proc/sys/vm/unprivileged_userfaultfd").value_or(-1);
  const std::string setting =
      unprivileged < 0 ? "" : fmt::format("; vm.unprivileged_userfaultfd={}", unprivileged);
  bool whole = true;
  int file = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK));
  if (file < 0) {
    // The device gives full descriptors to whoever may open it (Linux 6.1).
    constexpr auto kNew = _IO(0xAA, 0x00);
    if (const int device = ::open("/dev/userfaultfd", O_RDWR | O_CLOEXEC); device >= 0) {
      file = ::ioctl(device, kNew, O_CLOEXEC | O_NONBLOCK);
      ::close(device);
    }
  }
  if (file < 0) {
    whole = false;
    file = static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
  }
  if (file < 0) {
    return {"userfaultfd", Level::no, "not permitted" + setting,
            "guards use mprotect and signals, if the machine can divert system calls (below)"};
  }
  uffdio_api api{};
  api.api = UFFD_API;
  const bool answered = ::ioctl(file, UFFDIO_API, &api) == 0;
  ::close(file);
  if (!answered)
    return {"userfaultfd", Level::no, "there, but does not answer" + setting, "guards use mprotect"};
  const bool move = (api.features & kUffdMove) != 0;
  const bool write_protect = (api.features & UFFD_FEATURE_PAGEFAULT_FLAG_WP) != 0;
  const std::string features = fmt::format("{}{}{}", move ? "MOVE" : "", move && write_protect ? ", " : "",
                                           write_protect ? "write protection" : "");
  if (!whole) {
    return {
        "userfaultfd", Level::warn, "for user-mode faults only" + setting,
        "a system call on a closed page would fail, so guards use mprotect and divert system calls; as root: "
        "sysctl vm.unprivileged_userfaultfd=1 permits the better guard"};
  }
  return {"userfaultfd", write_protect ? Level::ok : Level::warn,
          fmt::format("permitted, with {}{}", features.empty() ? "no extra features" : features, setting),
          write_protect ? "programs, threads and system calls stop at bytes that have not landed"
                        : "no write protection: sends are not deferred"};
}

Fact dispatch_fact() {
  // In a child: the setting belongs to the thread.
  const pid_t child = ::fork();
  if (child == 0) {
    static volatile char selector = 0;  // allow
    ::_exit(::prctl(kSetSyscallUserDispatch, 1, 0, 0, &selector) == 0 ? 0 : 1);
  }
  int status = 1;
  if (child > 0) ::waitpid(child, &status, 0);
  if (status == 0) {
    return {"syscall user dispatch", Level::ok, "permitted",
            "the mprotect guard is safe too: system calls are diverted while guards exist"};
  }
  return {"syscall user dispatch", Level::warn, "not to be had (Linux 5.11, CONFIG_GENERIC_ENTRY)",
          "without userfaultfd, nothing is guarded and transfers complete at once"};
}

Fact procmap_fact() {
  const int file = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  ProcmapQuery query{};
  query.size = sizeof query;
  query.query_addr = reinterpret_cast<std::uint64_t>(&query);
  const bool there = file >= 0 && ::ioctl(file, _IOWR('f', 17, ProcmapQuery), &query) == 0;
  if (file >= 0) ::close(file);
  if (there)
    return {"PROCMAP_QUERY", Level::ok, "there", "the kind of a buffer's memory is found in one call"};
  return {"PROCMAP_QUERY", Level::warn, "not there (Linux 6.11)",
          "the first transfer to each buffer reads all of "
          "/proc/self/maps; later ones remember"};
}

Fact yama_fact() {
  const auto scope = number_in("/proc/sys/kernel/yama/ptrace_scope");
  if (!scope)
    return {"debuggers", Level::ok, "no restriction (Yama is not there)", "gdb can attach to ranks"};
  static const char* const meaning[] = {"any process of the same user", "children only",
                                        "administrators only", "nobody"};
  const bool free = *scope == 0;
  return {"debuggers", free ? Level::ok : Level::warn,
          fmt::format("ptrace_scope={}: {}", *scope, meaning[*scope < 4 && *scope >= 0 ? *scope : 3]),
          free ? "gdb can attach to ranks"
               : "start ranks under gdb rather than attach; Open MPI's single-copy transport may copy twice"};
}

Fact overcommit_fact() {
  const long mode = number_in("/proc/sys/vm/overcommit_memory").value_or(0);
  if (mode != 2) {
    return {"memory", Level::ok, fmt::format("vm.overcommit_memory={}", mode),
            "staging areas cost only what is used"};
  }
  return {"memory", Level::warn, "vm.overcommit_memory=2 (strict)",
          "staging areas count in full against the limit: lower LAPWING_STAGING if allocations fail"};
}

}  // namespace

const char* word_of(Level level) { return level == Level::ok ? "ok" : level == Level::warn ? "warn" : "no"; }

std::vector<Fact> kernel_facts() {
  return {kernel_version(), userfaultfd_fact(), dispatch_fact(),
          procmap_fact(),   yama_fact(),        overcommit_fact()};
}

Fact guard_fact() {
  const guard::Capability found = guard::probe();
  Fact fact{"guard", Level::ok, "", found.reason};
  switch (found.backend) {
    case guard::Backend::userfaultfd:
      fact.found = "userfaultfd";
      break;
    case guard::Backend::mprotect:
      fact.found = "mprotect";
      fact.level = Level::warn;
      break;
    case guard::Backend::none:
      fact.found = "none: transfers complete at once";
      fact.level = Level::no;
      break;
  }
  return fact;
}

Fact core_fact() {
  const cpu_set_t processors = progress::processors_of_process();
  const int usable = progress::cores_of_process();
  std::string found = fmt::format("{} usable", usable);
  if (usable < CPU_COUNT(&processors))
    found += fmt::format(" at a time: a CPU quota limits {}", CPU_COUNT(&processors));
  Fact fact{"cores", Level::ok, found, ""};
  if (usable < 2) {
    fact.level = Level::warn;
    fact.follows =
        "the thread that moves messages shares the only core with the program: little will be hidden";
  } else {
    fact.follows = fmt::format("up to {} ranks here keep a core each; with more, less is hidden", usable);
  }
  return fact;
}

}  // namespace lapwing::cli
