// SPDX-License-Identifier: Apache-2.0
// The other files of the process that define a name which this library exports.
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "preload/choose.hpp"

// Written by src/calls/generate.py: names in ascending order, and stubs in theirs.
extern "C" {
__attribute__((visibility("hidden"))) extern const char lapwing_preload_names[];
__attribute__((visibility("hidden"))) extern const uint32_t lapwing_preload_name_offsets[];
__attribute__((visibility("hidden"))) extern const uint32_t lapwing_preload_count;
__attribute__((visibility("hidden"))) extern const char lapwing_preload_stubs[];
}

namespace lapwing::preload {

namespace {
constexpr uintptr_t stub_size = 8;
}

mpi::Lookup* libc_dlsym() {
  static mpi::Lookup* found = nullptr;
  if (!found) {
    // The version of libc before and since it has libdl in it.
    constexpr const char* versions[] = {"GLIBC_2.34", "GLIBC_2.2.5"};
    for (const char* version : versions)
      if (!found) found = reinterpret_cast<mpi::Lookup*>(dlvsym(RTLD_NEXT, "dlsym", version));
  }
  return found;
}

link_map* file_of(const void* address) {
  Dl_info info;
  link_map* file = nullptr;
  return dladdr1(address, &info, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) ? file : nullptr;
}

void* stub_of(const char* name) {
  uint32_t from = 0, to = lapwing_preload_count;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    const int order = strcmp(lapwing_preload_names + lapwing_preload_name_offsets[middle], name);
    if (order == 0) return const_cast<char*>(lapwing_preload_stubs) + stub_size * middle;
    (order < 0 ? from : to) = order < 0 ? middle + 1 : middle;
  }
  return nullptr;
}

bool is_stub(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address),
             from = reinterpret_cast<uintptr_t>(lapwing_preload_stubs);
  return at >= from && at < from + stub_size * lapwing_preload_count;
}

void* next_definition(const char* name) {
  void* const address = libc_dlsym()(RTLD_NEXT, name);
  const link_map* const engine = loaded_engine();
  return address && engine && file_of(address) == engine ? nullptr : address;
}

void* plain_definition(const char* name, const void* caller) {
  mpi::Lookup* const lookup = libc_dlsym();
  if (void* address = next_definition(name)) return address;
  link_map* const file = file_of(caller);
  // The program's own file sees what all see.
  if (!file || file == _r_debug.r_map) return nullptr;
  void* const handle = dlopen(file->l_name, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* const address = lookup(handle, name);
  mpi::give_back(lookup, handle);
  return is_stub(address) ? nullptr : address;
}

}  // namespace lapwing::preload
