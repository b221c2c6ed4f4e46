// SPDX-License-Identifier: Apache-2.0
// Open MPI: ranks announce themselves through PMIx, which its launcher speaks.
#include "mpi/launch.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>

#include "flavour.hpp"
#include "mpi/references.hpp"

namespace lapwing::mpi {

std::uintptr_t predefined_from = 0, predefined_to = 0;

namespace {

// The part of the PMIx 2+ interface that is used here, by its public layout.
struct PmixProcess {
  char nspace[256];
  std::uint32_t rank;
};
struct PmixValue {
  std::uint16_t type;
  alignas(8) unsigned char data[64];
};
constexpr std::uint16_t pmix_int32 = 9;
constexpr std::uint8_t pmix_global = 3;

struct Pmix {
  int (*init)(PmixProcess*, void*, std::size_t) = nullptr;
  int (*put)(std::uint8_t, const char*, PmixValue*) = nullptr;
  int (*commit)() = nullptr;
  int (*finalize)(const void*, std::size_t) = nullptr;
  int (*get)(const PmixProcess*, const char*, const void*, std::size_t, PmixValue**) = nullptr;
  PmixProcess self{};
  bool initialised = false, ready = false;
};
Pmix pmix;

const char* key_of(Part part) {
  if (part == Part::collectives) return "lapwing-collectives";
  return part == Part::engine ? "lapwing" : "lapwing-sets";
}

}  // namespace

void announce_presence(bool engine, bool sets, bool collectives) {
  if ((!engine && !sets && !collectives) || !std::getenv("PMIX_RANK")) return;
  void* library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return;
  auto bind = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!bind(pmix.init, "PMIx_Init") || !bind(pmix.put, "PMIx_Put") || !bind(pmix.commit, "PMIx_Commit") ||
      !bind(pmix.get, "PMIx_Get") || !bind(pmix.finalize, "PMIx_Finalize")) {
    return;
  }
  if (pmix.init(&pmix.self, nullptr, 0) != 0) return;
  pmix.initialised = true;
  PmixValue value{};
  value.type = pmix_int32;
  const std::int32_t one = 1;
  std::memcpy(value.data, &one, sizeof one);
  const auto put = [&](Part part) { return pmix.put(pmix_global, key_of(part), &value) == 0; };
  pmix.ready = (!engine || put(Part::engine)) && (!sets || put(Part::sets)) &&
               (!collectives || put(Part::collectives)) && pmix.commit() == 0;
}

void forget_launcher() {
  // The library counts its users: with one too many of them the launcher would
  // take the end of this process for a crash.
  if (pmix.initialised) pmix.finalize(nullptr, 0);
  pmix.initialised = pmix.ready = false;
}

Presence presence(Part part, int rank, int size, std::string* missing) {
  if (!pmix.ready) return Presence::unknown;
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    PmixProcess peer = pmix.self;
    peer.rank = static_cast<std::uint32_t>(r);
    PmixValue* value = nullptr;
    if (pmix.get(&peer, key_of(part), nullptr, 0, &value) != 0) {
      *missing = std::to_string(r);
      return Presence::some;
    }
  }
  return Presence::all;
}

namespace {

int find_data_segment(dl_phdr_info* info, std::size_t, void*) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(MPI_BYTE);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const std::uintptr_t from = info->dlpi_addr + segment.p_vaddr, to = from + segment.p_memsz;
    if (segment.p_type == PT_LOAD && wanted >= from && wanted < to) {
      predefined_from = from;
      predefined_to = to;
      return 1;
    }
  }
  return 0;
}

}  // namespace

int ranks_on_one_node() {
  const char* size = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* local = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  return size && local && std::strcmp(size, local) == 0 ? std::atoi(size) : 0;
}

// Windows through shared memory do not mind, unless another kind of them is asked for.
bool all_in_shared_memory() {
  const char* transports = std::getenv("OMPI_MCA_btl");
  return ranks_on_one_node() > 0 && !std::getenv("OMPI_MCA_osc") &&
         (!transports || (transports[0] != '^' && std::strstr(transports, "vader")));
}

// A level that Open MPI takes for none is the highest.
int default_thread_level() {
  const char* given = std::getenv("OMPI_MPI_THREAD_LEVEL");
  if (!given) return MPI_THREAD_SINGLE;
  const int level = std::atoi(given);
  return level < MPI_THREAD_SINGLE || level > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : level;
}

bool may_raise_thread_level(std::string* why) {
  // Open MPI 4's pt2pt windows refuse MPI_THREAD_MULTIPLE.
  static constexpr const char* calls[] = {"MPI_Win_", "mpi_win_", nullptr};
  static constexpr const char* of_mpi[] = {"libmpi", "mca_", nullptr};
  const bool windows = !all_in_shared_memory() && refers_to(calls, of_mpi);
  if (windows) {
    *why = "the program uses one-sided windows, which Open MPI 4 refuses together with a helper thread";
  }
  return !windows;
}

void prepare() {
  if (predefined_to == 0) dl_iterate_phdr(find_data_segment, nullptr);
}

}  // namespace lapwing::mpi
