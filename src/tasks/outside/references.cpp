// SPDX-License-Identifier: Apache-2.0
#include "tasks/outside/references.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <mutex>

#include "lapwing/loaded_file.hpp"

namespace lapwing::tasks::outside {

namespace {

bool lies_in(const dl_phdr_info& info, const void* address, std::uint32_t kind) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& part = info.dlpi_phdr[i];
    const ElfW(Addr) begin = info.dlpi_addr + part.p_vaddr;
    const auto at = reinterpret_cast<ElfW(Addr)>(address);
    if (part.p_type == kind && at >= begin && at < begin + part.p_memsz) return true;
  }
  return false;
}

}  // namespace

std::vector<Reference> references(const std::function<int(const char* name)>& number) {
  struct Search {
    const std::function<int(const char*)>& number;
    std::vector<Reference> found;
  } search{number, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* context) {
        auto& all = *static_cast<Search*>(context);
        if (std::strstr(info->dlpi_name, "/liblapwing") != nullptr) return 0;
        mpi::each_named_relocation(
            info, [&](const ElfW(Rela) & relocation, const ElfW(Sym) & symbol, const char* name) {
              const auto type = ELF64_R_TYPE(relocation.r_info);
              if (symbol.st_shndx != SHN_UNDEF || std::strncmp(name, "MPI_", 4) != 0) return false;
              if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) return false;
              const int call = all.number(name);
              if (call < 0) return false;
              auto** const at = reinterpret_cast<void**>(info->dlpi_addr + relocation.r_offset);
              void* const now = __atomic_load_n(at, __ATOMIC_ACQUIRE);
              all.found.push_back({at, call, now == nullptr || lies_in(*info, now, PT_LOAD),
                                   lies_in(*info, static_cast<void*>(at), PT_GNU_RELRO)});
              return false;
            });
        return 0;
      },
      &search);
  return std::move(search.found);
}

bool redirect(const Reference& reference, void* to) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* const begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(reference.at) / page * page);
  if (reference.read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(reference.at, to, __ATOMIC_RELEASE);
  if (reference.read_only) mprotect(begin, page, PROT_READ);
  return true;
}

}  // namespace lapwing::tasks::outside
