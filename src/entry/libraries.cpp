// SPDX-License-Identifier: Apache-2.0
#include "entry/libraries.hpp"

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace lapwing::entry {
namespace {

struct Search {
  const char* patterns;
  LoadedLibrary found;
};

// Patterns have bars between them.
bool matches(const std::string& stem, const std::string& patterns) {
  for (std::size_t at = 0; at <= patterns.size();) {
    const std::size_t end = std::min(patterns.find('|', at), patterns.size());
    if (fnmatch(patterns.substr(at, end - at).c_str(), stem.c_str(), 0) == 0) return true;
    at = end + 1;
  }
  return false;
}

int visit(dl_phdr_info* info, std::size_t, void* context) {
  auto* search = static_cast<Search*>(context);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* file = slash ? slash + 1 : info->dlpi_name;
  const char* version = std::strstr(file, ".so");
  if (!version || (version[3] != '\0' && version[3] != '.')) return 0;
  if (!matches(std::string(file, version), search->patterns)) return 0;
  LoadedLibrary& found = search->found;
  found.path = info->dlpi_name;
  found.begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    const std::uintptr_t from = info->dlpi_addr + segment.p_vaddr;
    found.begin = std::min(found.begin, from);
    found.end = std::max(found.end, from + segment.p_memsz);
  }
  return 1;
}

}  // namespace

LoadedLibrary find_loaded(const char* patterns) {
  Search search{patterns, {}};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

// The library stays open: callers keep the address. A dlclose() would also retire all that is in flight,
// which the preloaded library does before memory may go.
void* find_in(const LoadedLibrary& library, const char* symbol) {
  if (!library) return nullptr;
  void* handle = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  return handle ? dlsym(handle, symbol) : nullptr;
}

}  // namespace lapwing::entry
