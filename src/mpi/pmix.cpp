// SPDX-License-Identifier: Apache-2.0
#include "mpi/pmix.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "mpi/references.hpp"

namespace lapwing::mpi::pmix {
namespace {

// The part of the PMIx 2+ interface that is used here, by its public layout.
struct Process {
  char nspace[256];
  std::uint32_t rank;
};
struct Value {
  std::uint16_t type;
  alignas(8) unsigned char data[64];
};
constexpr std::uint16_t type_int32 = 9;
constexpr std::uint8_t scope_global = 3;

int (*init)(Process*, void*, std::size_t) = nullptr;
int (*put)(std::uint8_t, const char*, Value*) = nullptr;
int (*commit)() = nullptr;
int (*finalize)(const void*, std::size_t) = nullptr;
int (*get)(const Process*, const char*, const void*, std::size_t, Value**) = nullptr;
Process self{};
std::vector<std::string> wanted;
bool announced = false, initialised = false;

int see(dl_phdr_info* info, std::size_t, void* context) {
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* name = slash ? slash + 1 : info->dlpi_name;
  if (std::strncmp(name, "libpmix.so", 10) != 0) return 0;
  *static_cast<const char**>(context) = info->dlpi_name;
  return 1;
}

template <typename Function>
bool bind(void* handle, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool put_all() {
  Value value{};
  value.type = type_int32;
  const std::int32_t one = 1;
  std::memcpy(value.data, &one, sizeof one);
  for (const std::string& key : wanted)
    if (put(scope_global, key.c_str(), &value) != 0) return false;
  return true;
}

// Called by MPI, in its own session, when it has put what it wants others to know.
int put_and_commit() {
  if (!wanted.empty()) announced = put_all();
  wanted.clear();
  return commit();
}

bool open_session() {
  // The library counts its users: MPI's session and this one are the same.
  initialised = initialised || init(&self, nullptr, 0) == 0;
  return initialised;
}

}  // namespace

bool arm(const std::vector<std::string>& keys, const char* bring) {
  if (!std::getenv("PMIX_RANK")) return false;
  const char* loaded = nullptr;
  dl_iterate_phdr(see, &loaded);
  if (!loaded && !bring) return false;
  // Its components look for its symbols in the global scope.
  void* handle = loaded ? dlopen(loaded, RTLD_NOW | RTLD_NOLOAD) : dlopen(bring, RTLD_NOW | RTLD_GLOBAL);
  if (!handle || !bind(handle, init, "PMIx_Init") || !bind(handle, put, "PMIx_Put") ||
      !bind(handle, commit, "PMIx_Commit") || !bind(handle, get, "PMIx_Get") ||
      !bind(handle, finalize, "PMIx_Finalize")) {
    return false;
  }
  wanted = keys;
  if (loaded) return redirect("libmpi", "PMIx_Commit", reinterpret_cast<void*>(&put_and_commit));
  announced = open_session() && put_all() && commit() == 0;
  wanted.clear();
  return announced;
}

bool ready() { return announced && open_session(); }

bool find(const std::string& key, int rank) {
  Process peer = self;
  peer.rank = static_cast<std::uint32_t>(rank);
  Value* value = nullptr;
  return get(&peer, key.c_str(), nullptr, 0, &value) == 0;
}

void close() {
  // With one user too many the launcher would take the end of this process for a crash.
  if (initialised) finalize(nullptr, 0);
  initialised = false;
}

}  // namespace lapwing::mpi::pmix
