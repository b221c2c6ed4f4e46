// SPDX-License-Identifier: Apache-2.0
#include "guard/memory_kind.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "guard/registry.hpp"

namespace lapwing::guard {
namespace {

int maps_fd = -1;
bool queries = true;  // until the kernel says that it has none

constexpr int most_mappings = 64;

struct Mapping {
  std::uintptr_t begin, end;
  bool usable, file;
};

// The program may write what only an outgoing region made read-only.
bool only_we_forbid_writing(std::uintptr_t begin, std::uintptr_t end) {
  for (; begin < end; begin += page_size)
    if (!closed_elsewhere(begin, nullptr)) return false;
  return true;
}

bool query(std::uintptr_t address, std::uintptr_t end, Mapping& out, int& error) {
  kernel::MapQuery q{};
  q.size = sizeof q;
  q.query_addr = address;
  error = static_cast<int>(-kernel::call(SYS_ioctl, maps_fd, kernel::map_query_request, &q));
  if (error != 0) return false;
  bool plain = q.vma_page_size == page_size && !(q.vma_flags & kernel::vma_shared);
  constexpr std::uint64_t mask = kernel::vma_readable | kernel::vma_writable | kernel::vma_executable;
  bool access = (q.vma_flags & mask) == (kernel::vma_readable | kernel::vma_writable) ||
                ((q.vma_flags & mask) == kernel::vma_readable && plain && closed_regions.load() > 0 &&
                 only_we_forbid_writing(address, std::min<std::uintptr_t>(q.vma_end, end)));
  out = {q.vma_start, q.vma_end, plain && access, q.inode != 0};
  return true;
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

// Of a view of a file, which may be one of huge pages. The kernel counts all pages of the process for this
// text, a tenth of a second where there are some gigabytes; so it is read for views of files alone.
bool has_small_pages(std::uintptr_t begin, std::uintptr_t end) {
  const File maps(std::fopen("/proc/self/smaps", "re"), std::fclose);
  if (!maps) return false;
  char line[512];
  bool inside = false;
  while (std::fgets(line, sizeof line, maps.get())) {
    std::uintptr_t from = 0, to = 0;
    unsigned kib = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) {
      if (from >= end) break;
      inside = to > begin;
    } else if (inside && std::sscanf(line, "KernelPageSize: %u kB", &kib) == 1 && kib * 1024 != page_size) {
      return false;
    }
  }
  return true;
}

// Kernels before 6.11: read the text, line by line.
MemoryKind parse(std::uintptr_t begin, std::uintptr_t end) {
  MemoryKind kind;
  const File maps(std::fopen("/proc/self/maps", "re"), std::fclose);
  if (!maps) return {};
  char line[512];
  std::uintptr_t at = begin;
  while (at < end) {
    if (!std::fgets(line, sizeof line, maps.get())) return {};
    char* rest = nullptr;
    const std::uintptr_t from = std::strtoull(line, &rest, 16);
    if (*rest != '-') continue;  // the rest of a long name
    const std::uintptr_t to = std::strtoull(rest + 1, &rest, 16);
    if (to <= at) continue;
    char mode[8] = {};
    std::uintptr_t inode = 0;
    if (from > at || std::sscanf(rest, " %7s %*x %*x:%*x %" SCNuPTR, mode, &inode) != 2) return {};
    const bool writable = mode[1] == 'w' || only_we_forbid_writing(at, std::min(to, end));
    if (mode[0] != 'r' || !writable || mode[2] != '-' || mode[3] != 'p') return {};
    kind.file |= inode != 0;
    if (kind.mappings++ == 0) kind.begin = from;
    at = kind.end = to;
  }
  kind.guardable = !kind.file || has_small_pages(begin, end);
  return kind;
}

}  // namespace

bool open_memory_map() {
  if (maps_fd < 0) maps_fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  return maps_fd >= 0;
}

void read_memory_map_as_text() { queries = false; }

void close_memory_map() {
  if (maps_fd >= 0) close(maps_fd);
  maps_fd = -1;
}

MemoryKind memory_kind(std::uintptr_t begin, std::uintptr_t end) {
  if (!queries) return parse(begin, end);
  MemoryKind kind;
  for (std::uintptr_t at = begin; at < end;) {
    Mapping m;
    if (kind.mappings == most_mappings) return {};
    int error = 0;
    if (!query(at, end, m, error)) {
      if (error != ENOTTY && error != EINVAL) return {};
      queries = false;
      return parse(begin, end);
    }
    if (!m.usable) return {};
    kind.file |= m.file;
    if (kind.mappings++ == 0) kind.begin = m.begin;
    at = kind.end = m.end;
  }
  kind.guardable = true;
  return kind;
}

}  // namespace lapwing::guard
