// SPDX-License-Identifier: Apache-2.0
// MPICH over UCX waits inside libmpich by calling ucp_worker_progress again and again, and never yields, also
// in collectives and where the message comes through shared memory. The call goes from one library to
// another, so Lapwing's definition of that name sees it. Needs libc alone.
#pragma once

#include <link.h>

#include <cstdint>

#include "progress/yields.hpp"

namespace lapwing::progress {

using UcxProgress = unsigned(void* worker);

/// The definitions that callers would find without Lapwing's. Two files of a process may each bring a UCX of
/// their own, whose workers are not the other's, and libmpich calls from dozens of places: the caller's file
/// decides. Of static storage, without a constructor. All functions may be called from any thread.
class UcxDefinitions {
 public:
  using Find = UcxProgress*(const void* caller);

  /// `find` looks for the definition that the code at `caller` sees: once for each of the first few files.
  UcxProgress* of(const void* caller, Find find) {
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    const int known = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
    for (int i = 0; i < known; ++i)
      if (files_[i].has(address)) return files_[i].function;
    return add(address, known, find(caller));
  }

 private:
  struct File {
    std::uintptr_t begin, end;  // of its code
    UcxProgress* function;

    bool has(std::uintptr_t address) const { return address >= begin && address < end; }
  };
  static constexpr int most = 4;

  // `wanted` points to a File whose begin is an address: fills in the segment that holds it.
  static int find_segment(dl_phdr_info* file, std::size_t, void* wanted) {
    auto* const result = static_cast<File*>(wanted);
    for (int i = 0; i < file->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = file->dlpi_phdr[i];
      const std::uintptr_t begin = file->dlpi_addr + part.p_vaddr;
      const File segment{begin, begin + part.p_memsz, nullptr};
      if (part.p_type != PT_LOAD || !segment.has(result->begin)) continue;
      *result = segment;
      return 1;
    }
    return 0;
  }

  UcxProgress* add(std::uintptr_t address, int known, UcxProgress* function) {
    File file{address, address, nullptr};
    dl_iterate_phdr(find_segment, &file);
    file.function = function;
    if (known == most || __atomic_exchange_n(&adding_, true, __ATOMIC_ACQUIRE)) return function;
    if (count_ == known) {
      files_[known] = file;
      __atomic_store_n(&count_, known + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&adding_, false, __ATOMIC_RELEASE);
    return function;
  }

  File files_[most] = {};
  int count_ = 0;
  bool adding_ = false;  // a thread changes the two above
};

/// One look of `worker`, after which the thread may yield its core.
inline unsigned look_and_yield(UcxProgress* look, void* worker, Yields& yields) {
  const unsigned events = look(worker);
  if (events != 0)
    yields.found();
  else
    yields.in_vain();
  return events;
}

}  // namespace lapwing::progress
