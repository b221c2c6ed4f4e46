// SPDX-License-Identifier: Apache-2.0
#include "guard/devices.hpp"

#include <link.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "guard/kernel.hpp"

namespace lapwing::guard {
namespace {

// User-space halves of the drivers: a process that uses a device has loaded one.
constexpr std::array<std::string_view, 4> drivers = {"libcuda.so", "libamdhip64.so", "libhsa-runtime64.so",
                                                     "libze_intel_gpu.so"};

std::atomic<bool> found{false}, ignored{false}, mattered{false};
std::atomic<unsigned long long> looked_at{0};  // objects ever loaded, when last looked

bool is_driver(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const std::string_view name(slash ? slash + 1 : path);
  for (std::string_view driver : drivers)
    if (name.starts_with(driver)) return true;
  return false;
}

int ask_loads(dl_phdr_info* info, std::size_t, void* loads) {
  *static_cast<unsigned long long*>(loads) = info->dlpi_adds;
  return 1;
}

int ask_name(dl_phdr_info* info, std::size_t, void*) { return info->dlpi_name && is_driver(info->dlpi_name); }

// The kernel is asked to read a byte: it says so where no process can, and asking for
// the mapping costs a hundred times as much before Linux 6.11.
bool readable(const char* address) {
  static const int sink = memfd_create("lapwing-sink", MFD_CLOEXEC);
  return sink < 0 || kernel::call(SYS_pwrite64, sink, address, 1, 0) == 1;
}

}  // namespace

bool accelerators() {
  if (found.load(std::memory_order_relaxed)) return true;
  if (ignored.load(std::memory_order_relaxed)) return false;
  unsigned long long loads = 0;
  dl_iterate_phdr(ask_loads, &loads);
  if (loads == looked_at.load(std::memory_order_relaxed)) return false;
  if (dl_iterate_phdr(ask_name, nullptr) != 0) found.store(true, std::memory_order_relaxed);
  looked_at.store(loads, std::memory_order_relaxed);
  return found.load(std::memory_order_relaxed);
}

void ignore_accelerators() {
  ignored = true;
  found = false;
}

bool accelerators_mattered() { return mattered.load(); }
void note_accelerators_mattered() { mattered = true; }

bool reachable(const void* begin, std::size_t length) {
  if (!accelerators() || length == 0) return true;
  const char* from = static_cast<const char*>(begin);
  return readable(from) && readable(from + length - 1);
}

}  // namespace lapwing::guard
