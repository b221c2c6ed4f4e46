// SPDX-License-Identifier: Apache-2.0
// Which MPI libraries a process has, and of which family each one is. Of libc alone:
// the preloaded library, which lives in every process, asks this, too.
#pragma once

#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <string.h>

#include "lapwing/loaded_file.hpp"

namespace lapwing::mpi {

/// Libraries of one family share handles, constants, the layout of a status and the
/// name under which programs load them.
enum class Family { unknown, mpich, openmpi, abi };

using Lookup = void*(void* handle, const char* name);

/// The name under which others depend on a library, or "".
inline const char* soname_of(const link_map* library) {
  const char* strings = nullptr;
  ElfW(Xword) offset = 0;
  bool named = false;
  for (const ElfW(Dyn)* d = library->l_ld; d && d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(d->d_un.d_ptr);
    if (d->d_tag == DT_SONAME) {
      offset = d->d_un.d_val;
      named = true;
    }
  }
  return strings && named ? strings + offset : "";
}

/// By name: MPICH, Intel MPI, MVAPICH, Cray's; Open MPI 4 and 5; the standard ABI of MPI 5.
inline Family family_of(const char* soname) {
  if (fnmatch("libmpi_abi.so.*", soname, 0) == 0) return Family::abi;
  if (strcmp(soname, "libmpi.so.40") == 0) return Family::openmpi;
  constexpr const char* mpich[] = {"libmpi.so.12", "libmpich.so.12", "libmpi_*.so.12"};
  for (const char* pattern : mpich)
    if (fnmatch(pattern, soname, 0) == 0) return Family::mpich;
  return Family::unknown;
}

/// Gives back the count that a dlopen took; the library stays. Not by the preloaded library's dlclose, which
/// waits for transfers: a look must not.
inline void give_back(Lookup* lookup, void* handle) {
  using Close = int(void*);
  if (auto* const close = reinterpret_cast<Close*>(lookup(RTLD_NEXT, "dlclose"))) close(handle);
}

struct LoadedMpi {
  link_map* library = nullptr;
  Family family = Family::unknown;

  /// A definition of the library's or of what it depends on. Never loads anything.
  void* find(Lookup* lookup, const char* name) const {
    void* const handle = dlopen(library->l_name[0] ? library->l_name : nullptr, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) return nullptr;
    void* const address = lookup(handle, name);
    give_back(lookup, handle);
    return address;
  }
};

/// Every library of this process that has an MPI of its own; stands alone or under a
/// name that says nothing, too.
struct LoadedMpis {
  static constexpr int most = 4;
  LoadedMpi at[most];
  int count = 0;
  Lookup* lookup = nullptr;

  /// `address`: of a definition of PMPI_Init, or of anything in a library that is of no family.
  void add(void* address, bool known) {
    Dl_info info;
    link_map* library = nullptr;
    if (!dladdr1(address, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP)) return;
    for (int i = 0; i < count; ++i)
      if (at[i].library == library) return;
    if (!library || count == most) return;
    LoadedMpi mpi{library, known ? family_of(soname_of(library)) : Family::unknown};
    // Open MPI 1.10 had MPICH's name.
    if (mpi.family == Family::mpich && mpi.find(lookup, "ompi_mpi_comm_world")) mpi.family = Family::unknown;
    at[count++] = mpi;
  }
};

/// `lookup` is libc's dlsym, whichever other library has one.
inline LoadedMpis loaded_mpis(Lookup* lookup) {
  struct Place {
    void* address;
    bool known;
  };
  struct Places {
    Place at[LoadedMpis::most];
    int count = 0;
  } places;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* context) {
        auto& all = *static_cast<Places*>(context);
        // Fortran's integers have 64 bits in front of this one, and 32 behind it.
        if (strstr(info->dlpi_name, "/libmpi_ilp64.so") && info->dlpi_phnum && all.count < LoadedMpis::most) {
          all.at[all.count++] = {reinterpret_cast<void*>(info->dlpi_addr + info->dlpi_phdr[0].p_vaddr),
                                 false};
          return 0;
        }
        void* const address = LoadedFile(info).find("PMPI_Init");
        if (address && all.count < LoadedMpis::most) all.at[all.count++] = {address, true};
        return 0;
      },
      &places);
  LoadedMpis found;
  found.lookup = lookup;
  for (int i = 0; i < places.count; ++i) found.add(places.at[i].address, places.at[i].known);
  return found;
}

}  // namespace lapwing::mpi
