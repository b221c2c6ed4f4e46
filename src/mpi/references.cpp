// SPDX-License-Identifier: Apache-2.0
#include "mpi/references.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>

namespace lapwing::mpi {
namespace {

struct Search {
  const char* const* prefixes;
  const char* const* others;
  bool found;
};

struct Walk {
  ReferenceVisitor* visit;
  void* context;
};

bool begins(const char* name, const char* const* prefixes) {
  for (; *prefixes; ++prefixes) {
    if (std::strncmp(name, *prefixes, std::strlen(*prefixes)) == 0) return true;
  }
  return false;
}

// Relocations name whatever the linker left to be found elsewhere, and nothing
// that a file defines for itself alone.
int visit(dl_phdr_info* info, std::size_t, void* context) {
  const auto* walk = static_cast<const Walk*>(context);
  const char* file = info->dlpi_name ? info->dlpi_name : "";
  if (std::strstr(file, "liblapwing") || std::strstr(file, "linux-vdso")) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};
  std::size_t bytes[2] = {};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    auto absolute = [&](ElfW(Addr) a) { return a < info->dlpi_addr ? a + info->dlpi_addr : a; };
    for (auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr); d->d_tag;
         ++d) {
      if (d->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(absolute(d->d_un.d_ptr));
      if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(absolute(d->d_un.d_ptr));
      if (d->d_tag == DT_JMPREL) tables[0] = reinterpret_cast<const ElfW(Rela)*>(absolute(d->d_un.d_ptr));
      if (d->d_tag == DT_PLTRELSZ) bytes[0] = d->d_un.d_val;
      if (d->d_tag == DT_RELA) tables[1] = reinterpret_cast<const ElfW(Rela)*>(absolute(d->d_un.d_ptr));
      if (d->d_tag == DT_RELASZ) bytes[1] = d->d_un.d_val;
    }
  }
  if (!symbols || !strings) return 0;
  for (int t = 0; t < 2; ++t) {
    for (std::size_t i = 0; tables[t] && i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const auto index = ELF64_R_SYM(tables[t][i].r_info);
      if (index != 0 && walk->visit(file, strings + symbols[index].st_name, walk->context)) return 1;
    }
  }
  return 0;
}

}  // namespace

void each_reference(ReferenceVisitor* visitor, void* context) {
  Walk walk{visitor, context};
  dl_iterate_phdr(visit, &walk);
}

bool refers_to(const char* const* prefixes, const char* const* others) {
  Search search{prefixes, others, false};
  each_reference(
      [](const char* file, const char* symbol, void* context) {
        auto* s = static_cast<Search*>(context);
        for (const char* const* other = s->others; *other; ++other)
          if (std::strstr(file, *other)) return false;
        s->found = begins(symbol, s->prefixes);
        return s->found;
      },
      &search);
  return search.found;
}

}  // namespace lapwing::mpi
