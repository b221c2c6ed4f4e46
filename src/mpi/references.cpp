// SPDX-License-Identifier: Apache-2.0
#include "mpi/references.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lapwing/loaded_file.hpp"

namespace lapwing::mpi {
namespace {

using SlotVisitor = bool(const char* file, const char* symbol, void** slot, void* context);

struct Walk {
  SlotVisitor* visit;
  void* context;
  const char* const* others = no_others;  // files that are passed over

  bool passes_over(const char* file) const {
    if (std::strstr(file, "liblapwing") || std::strstr(file, "linux-vdso")) return true;
    for (const char* const* other = others; *other; ++other) {
      if (std::strstr(file, *other)) return true;
    }
    return false;
  }
};

// A process has tens of thousands of references, nearly all of which the first letter tells from a prefix.
class Prefixes {
 public:
  explicit Prefixes(const char* const* list) : list_(list) {
    for (const char* const* prefix = list; *prefix; ++prefix)
      firsts_.set(static_cast<unsigned char>(**prefix));
  }
  bool begin(const char* name) const {
    if (!firsts_[static_cast<unsigned char>(*name)]) return false;
    for (const char* const* prefix = list_; *prefix; ++prefix) {
      if (std::strncmp(name, *prefix, std::strlen(*prefix)) == 0) return true;
    }
    return false;
  }

 private:
  const char* const* list_;
  std::bitset<256> firsts_;
};

// Relocations name whatever the linker left to be found elsewhere, and nothing
// that a file defines for itself alone.
int visit(dl_phdr_info* info, std::size_t, void* context) {
  const auto* walk = static_cast<const Walk*>(context);
  const char* file = info->dlpi_name ? info->dlpi_name : "";
  if (walk->passes_over(file)) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};
  std::size_t bytes[2] = {}, nameless[2] = {};  // relocations by the file's own address alone come first
  each_dynamic_entry(info, [&](const ElfW(Dyn) & d, const void* at) {
    if (d.d_tag == DT_SYMTAB) symbols = static_cast<const ElfW(Sym)*>(at);
    if (d.d_tag == DT_STRTAB) strings = static_cast<const char*>(at);
    if (d.d_tag == DT_JMPREL) tables[0] = static_cast<const ElfW(Rela)*>(at);
    if (d.d_tag == DT_PLTRELSZ) bytes[0] = d.d_un.d_val;
    if (d.d_tag == DT_RELA) tables[1] = static_cast<const ElfW(Rela)*>(at);
    if (d.d_tag == DT_RELASZ) bytes[1] = d.d_un.d_val;
    if (d.d_tag == DT_RELACOUNT) nameless[1] = d.d_un.d_val;
  });
  if (!symbols || !strings) return 0;
  for (int t = 0; t < 2; ++t) {
    for (std::size_t i = nameless[t]; tables[t] && i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& r = tables[t][i];
      const auto index = ELF64_R_SYM(r.r_info), type = ELF64_R_TYPE(r.r_info);
      const bool holds_address = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
      auto** slot = holds_address ? reinterpret_cast<void**>(info->dlpi_addr + r.r_offset) : nullptr;
      if (index != 0 && walk->visit(file, strings + symbols[index].st_name, slot, walk->context)) return 1;
    }
  }
  return 0;
}

}  // namespace

void each_reference(ReferenceVisitor* visitor, void* context) {
  struct Both {
    ReferenceVisitor* visit;
    void* context;
  } both{visitor, context};
  Walk walk{[](const char* file, const char* symbol, void**, void* given) {
              auto* b = static_cast<Both*>(given);
              return b->visit(file, symbol, b->context);
            },
            &both};
  dl_iterate_phdr(visit, &walk);
}

bool redirect(const char* library, const char* symbol, void* to) {
  struct Wish {
    const char *library, *symbol;
    void* to;
    bool done;
  } wish{library, symbol, to, false};
  Walk walk{[](const char* file, const char* found, void** slot, void* given) {
              auto* w = static_cast<Wish*>(given);
              if (!slot || !std::strstr(file, w->library) || std::strcmp(found, w->symbol) != 0) return false;
              // The slot may be on a page that the loader has closed for writing.
              const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
              const auto begin = reinterpret_cast<std::uintptr_t>(slot) & ~(page - 1);
              if (mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) != 0) return false;
              __atomic_store_n(slot, w->to, __ATOMIC_RELEASE);
              w->done = true;
              return false;
            },
            &wish};
  dl_iterate_phdr(visit, &walk);
  return wish.done;
}

bool refers_to(const char* const* prefixes, const char* const* others) {
  struct Search {
    Prefixes prefixes;
    bool found;
  } search{Prefixes(prefixes), false};
  Walk walk{[](const char*, const char* symbol, void**, void* given) {
              auto* s = static_cast<Search*>(given);
              return s->found = s->prefixes.begin(symbol);
            },
            &search, others};
  dl_iterate_phdr(visit, &walk);
  return search.found;
}

}  // namespace lapwing::mpi
