// SPDX-License-Identifier: Apache-2.0
#include "entry/libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace lapwing::entry {
namespace {

struct Search {
  const char* stem;
  LoadedLibrary found;
};

int visit(dl_phdr_info* info, std::size_t, void* context) {
  auto* search = static_cast<Search*>(context);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* file = slash ? slash + 1 : info->dlpi_name;
  const std::size_t length = std::strlen(search->stem);
  if (std::strncmp(file, search->stem, length) != 0 || std::strncmp(file + length, ".so", 3) != 0) return 0;
  if (file[length + 3] != '\0' && file[length + 3] != '.') return 0;
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

LoadedLibrary find_loaded(const char* stem) {
  Search search{stem, {}};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

void* find_in(const LoadedLibrary& library, const char* symbol) {
  if (!library) return nullptr;
  void* handle = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* address = dlsym(handle, symbol);
  dlclose(handle);  // gives back the count that dlopen took; the library stays
  return address;
}

}  // namespace lapwing::entry
