// SPDX-License-Identifier: Apache-2.0
// Libraries that work with and without MPI name it by weak references, and look whether
// they lead anywhere. In a process without MPI, or with one that lacks a function, they lead
// nowhere, although this library defines these names.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lapwing/loaded_file.hpp"
#include "preload/choose.hpp"

namespace lapwing::preload {
namespace {

void clear(void** slot) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const begin = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) & ~(page - 1));
  // The loader may have closed the page for writing; it stays open then, as none knows how it was.
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) == 0) *slot = nullptr;
}

// Files that have been looked through, by where they lie.
constexpr size_t most_files = 4096;
uintptr_t files[most_files];
size_t file_count = 0;
unsigned long long seen_loads = 0;
bool busy = false;  // a thread looks through the files

// A weak reference that leads to a stub. Whether an MPI has the function is asked when dl_iterate_phdr is
// over: in it a thread holds one lock of the loader's, and would wait for another.
struct Reference {
  void** slot;
  const char* name;
  const void* inside;  // the file that it is in
};
constexpr size_t most_references = 4096;
Reference references[most_references];
size_t reference_count = 0;

bool is_new(const dl_phdr_info* info) {
  const auto at = reinterpret_cast<uintptr_t>(info->dlpi_phdr);
  for (size_t i = 0; i < file_count; ++i)
    if (files[i] == at) return false;
  if (file_count == most_files) return false;
  files[file_count++] = at;
  return true;
}

int visit(dl_phdr_info* info, size_t, void*) {
  if (!is_new(info)) return 0;
  if (strstr(info->dlpi_name, "liblapwing") || strstr(info->dlpi_name, "linux-vdso")) return 0;
  const void* const inside = reinterpret_cast<const void*>(info->dlpi_addr + info->dlpi_phdr[0].p_vaddr);
  mpi::each_named_relocation(info, [&](const ElfW(Rela) & r, const ElfW(Sym) & symbol, const char* name) {
    const auto type = ELF64_R_TYPE(r.r_info);
    if (type != R_X86_64_GLOB_DAT && type != R_X86_64_64) return false;
    if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) != STB_WEAK) return false;
    auto** const slot = reinterpret_cast<void**>(info->dlpi_addr + r.r_offset);
    if (is_stub(*slot) && reference_count < most_references)
      references[reference_count++] = {slot, name, inside};
    return false;
  });
  return 0;
}

int count_loads(dl_phdr_info* info, size_t, void* context) {
  *static_cast<unsigned long long*>(context) = info->dlpi_adds;
  return 1;
}

__attribute__((constructor)) void clear_at_start() {
  __atomic_store_n(&initialised, true, __ATOMIC_RELEASE);
  clear_weak_references();
}

}  // namespace

bool initialised = false;

void clear_weak_references() {
  unsigned long long loads = 0;
  dl_iterate_phdr(count_loads, &loads);
  if (loads == __atomic_load_n(&seen_loads, __ATOMIC_ACQUIRE)) return;
  if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) return;
  __atomic_store_n(&seen_loads, loads, __ATOMIC_RELEASE);
  dl_iterate_phdr(visit, nullptr);
  for (; reference_count > 0; --reference_count) {
    const Reference& last = references[reference_count - 1];
    if (!plain_definition(last.name, last.inside)) clear(last.slot);
  }
  __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

}  // namespace lapwing::preload
