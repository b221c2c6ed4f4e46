// SPDX-License-Identifier: Apache-2.0
// The functions that a loaded file defines, and those that it refers to, read from its own tables. The loader
// is not asked: in dl_iterate_phdr a thread holds one of its locks, and a thread that wants another meanwhile
// may never get it.
#pragma once

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

namespace lapwing::mpi {

/// Calls `visit(entry, address)` for each entry of a file's dynamic section; the address means something
/// where the entry is one of a table.
template <typename Visit>
void each_dynamic_entry(const dl_phdr_info* info, Visit visit) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* d = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; d->d_tag != DT_NULL; ++d) {
      // The loader has relocated most tables, but not the kernel's own file's.
      const ElfW(Addr) a = d->d_un.d_ptr;
      visit(*d, reinterpret_cast<const void*>(a < info->dlpi_addr ? a + info->dlpi_addr : a));
    }
  }
}

/// Calls `visit(relocation, symbol, name)` for each relocation of a file that names a symbol: whatever the
/// linker left to be found elsewhere, and nothing that the file defines for itself alone. Ends, and gives
/// true, where `visit` does.
template <typename Visit>
bool each_named_relocation(const dl_phdr_info* info, Visit visit) {
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const ElfW(Rela) * tables[2] = {};
  size_t bytes[2] = {},
         nameless = 0;  // a file's own addresses come first in its table, by the hundred thousand
  each_dynamic_entry(info, [&](const ElfW(Dyn) & d, const void* at) {
    if (d.d_tag == DT_SYMTAB) symbols = static_cast<const ElfW(Sym)*>(at);
    if (d.d_tag == DT_STRTAB) strings = static_cast<const char*>(at);
    if (d.d_tag == DT_RELA) tables[0] = static_cast<const ElfW(Rela)*>(at);
    if (d.d_tag == DT_RELASZ) bytes[0] = d.d_un.d_val;
    if (d.d_tag == DT_RELACOUNT) nameless = d.d_un.d_val;
    if (d.d_tag == DT_JMPREL) tables[1] = static_cast<const ElfW(Rela)*>(at);
    if (d.d_tag == DT_PLTRELSZ) bytes[1] = d.d_un.d_val;
  });
  if (!symbols || !strings) return false;
  for (int t = 0; t < 2; ++t) {
    for (size_t i = t == 0 ? nameless : 0; tables[t] && i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& relocation = tables[t][i];
      const auto index = ELF64_R_SYM(relocation.r_info);
      if (index != 0 && visit(relocation, symbols[index], strings + symbols[index].st_name)) return true;
    }
  }
  return false;
}

class LoadedFile {
 public:
  explicit LoadedFile(const dl_phdr_info* info) : info_(info) {
    each_dynamic_entry(info, [this](const ElfW(Dyn) & d, const void* at) {
      if (d.d_tag == DT_SYMTAB) symbols_ = static_cast<const ElfW(Sym)*>(at);
      if (d.d_tag == DT_STRTAB) strings_ = static_cast<const char*>(at);
      if (d.d_tag == DT_GNU_HASH) gnu_ = static_cast<const uint32_t*>(at);
      if (d.d_tag == DT_HASH) old_ = static_cast<const uint32_t*>(at);
    });
  }

  /// The address of what the file defines for others under this name, or nullptr.
  void* find(const char* name) const {
    if (!symbols_ || !strings_) return nullptr;
    return gnu_ ? by_gnu_hash(name) : old_ ? by_old_hash(name) : nullptr;
  }

 private:
  void* defined(uint32_t index, const char* name) const {
    const ElfW(Sym)& symbol = symbols_[index];
    if (symbol.st_shndx == SHN_UNDEF || strcmp(strings_ + symbol.st_name, name) != 0) return nullptr;
    return reinterpret_cast<void*>(info_->dlpi_addr + symbol.st_value);
  }

  void* by_gnu_hash(const char* name) const {
    uint32_t hash = 5381;
    for (const char* c = name; *c; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
    const uint32_t buckets = gnu_[0], first = gnu_[1], bloom = gnu_[2];
    const uint32_t* const bucket = gnu_ + 4 + bloom * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
    const uint32_t* const chain = bucket + buckets;
    uint32_t i = buckets ? bucket[hash % buckets] : 0;
    if (i < first || i == 0) return nullptr;
    for (;; ++i) {
      const uint32_t here = chain[i - first];
      if ((here | 1) == (hash | 1)) {
        if (void* const address = defined(i, name)) return address;
      }
      if (here & 1) return nullptr;  // the last of its chain
    }
  }

  void* by_old_hash(const char* name) const {
    uint32_t hash = 0;
    for (const char* c = name; *c; ++c) {
      hash = (hash << 4) + static_cast<unsigned char>(*c);
      const uint32_t high = hash & 0xf0000000;
      hash = (hash ^ (high >> 24)) & ~high;
    }
    const uint32_t buckets = old_[0];
    const uint32_t *const bucket = old_ + 2, *const chain = bucket + buckets;
    for (uint32_t i = buckets ? bucket[hash % buckets] : 0; i; i = chain[i])
      if (void* const address = defined(i, name)) return address;
    return nullptr;
  }

  const dl_phdr_info* info_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* strings_ = nullptr;
  const uint32_t* gnu_ = nullptr;
  const uint32_t* old_ = nullptr;
};

}  // namespace lapwing::mpi
