// SPDX-License-Identifier: Apache-2.0
#include "mpi/references.hpp"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <vector>

#include "lapwing/loaded_file.hpp"

namespace lapwing::mpi {
namespace {

using SlotVisitor = bool(const char* file, const char* symbol, void** slot, void* context);

struct Walk {
  SlotVisitor* visit;
  void* context;
};

bool begins(const char* name, const char* prefix) {
  return std::strncmp(name, prefix, std::strlen(prefix)) == 0;
}

bool is_of_lapwing_or_kernel(const char* file) {
  return std::strstr(file, "liblapwing") || std::strstr(file, "linux-vdso");
}

int visit(dl_phdr_info* info, std::size_t, void* context) {
  const auto* walk = static_cast<const Walk*>(context);
  const char* file = info->dlpi_name ? info->dlpi_name : "";
  if (is_of_lapwing_or_kernel(file)) return 0;
  return each_named_relocation(info, [&](const ElfW(Rela) & relocation, const ElfW(Sym)&, const char* name) {
    const auto type = ELF64_R_TYPE(relocation.r_info);
    const bool holds_address = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
    auto** slot = holds_address ? reinterpret_cast<void**>(info->dlpi_addr + relocation.r_offset) : nullptr;
    return walk->visit(file, name, slot, walk->context);
  });
}

struct Reference {
  const char *file, *symbol;
};

// To names of MPI's and Lapwing's, about which a starting process asks a dozen questions. It refers to a
// hundred thousand names, so the loader's tables are read once for all of them, until libraries come or go.
class References {
 public:
  template <typename Visit>
  void each(Visit visit) {
    const std::lock_guard lock(mutex_);
    auto show = [&](unsigned long long loads) {
      if (loads != loads_) read();
      loads_ = loads;
      for (const Reference& reference : found_) {
        if (visit(reference)) return;
      }
    };
    // The loader unloads nothing while it shows its files.
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* context) {
          (*static_cast<decltype(show)*>(context))(info->dlpi_adds + info->dlpi_subs);
          return 1;
        },
        &show);
  }

  static bool is_about(const char* name) {
    switch (*name) {
      case 'M':
        return begins(name, "MPI_");
      case 'm':
        return begins(name, "mpi_");
      case 'P':
        return begins(name, "PMPI_");
      case 'p':
        return begins(name, "pmpi_");
      case 'l':
        return begins(name, "lapwing_");
      default:
        return false;
    }
  }

 private:
  void read() {
    found_.clear();
    Walk walk{[](const char* file, const char* symbol, void**, void* context) {
                if (is_about(symbol)) static_cast<References*>(context)->found_.push_back({file, symbol});
                return false;
              },
              this};
    dl_iterate_phdr(lapwing::mpi::visit, &walk);
  }

  std::mutex mutex_;              // protects what follows
  std::vector<Reference> found_;  // one file after the other; names and files are the loader's
  unsigned long long loads_ = 0;  // libraries loaded and unloaded before found_ was read
};

References& references() {
  static References all;
  return all;
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

void each_reference_to_mpi(ReferenceVisitor* visitor, void* context) {
  references().each([&](const Reference& r) { return visitor(r.file, r.symbol, context); });
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

bool is_of_mpi(const char* file) {
  constexpr const char* parts[] = {"/libmpi.so",     "/libmpi_abi.so", "/libmpich",       "/libmpifort",
                                   "/libmpi_mpifh",  "/libmpi_usempi", "/libmpicxx",      "/libmpi++",
                                   "/libmpi_cxx.so", "/mca_",          "/libmca_common_", "/libopen-"};
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](const char* part) { return std::strstr(file, part) != nullptr; });
}

bool refers_to(const char* const* prefixes, Files files) {
  bool found = false;
  references().each([&](const Reference& r) {
    for (const char* const* prefix = prefixes; *prefix && !found; ++prefix) {
      assert(References::is_about(*prefix));
      found = begins(r.symbol, *prefix) && (files == Files::all || !is_of_mpi(r.file));
    }
    return found;
  });
  return found;
}

}  // namespace lapwing::mpi
