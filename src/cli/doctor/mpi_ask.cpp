// SPDX-License-Identifier: Apache-2.0
// A process of its own that loads an MPI and asks it. An MPI that ends or hangs there ends
// or delays nothing else.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cli/doctor/mpi_search.hpp"
#include "cli/launch/mpi_library.hpp"
#include "cli/say.hpp"

extern char** environ;

namespace lapwing::cli {

namespace {

constexpr unsigned kInitLimit = 10;

/// It is no rank of the job in which the command may have been called.
void leave_the_job() {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    for (const char* prefix :
         {"PMI", "OMPI_COMM_", "OMPI_UNIVERSE", "SLURM_", "HYD", "MPI_LOCAL", "LAPWING"}) {
      if (std::strncmp(*entry, prefix, std::strlen(prefix)) == 0)
        names.emplace_back(*entry, std::strcspn(*entry, "="));
    }
  }
  for (const auto& name : names) ::unsetenv(name.c_str());
}

/// The four levels, lowest first, by the values of this family's mpi.h.
const int* levels_of(Mpi family) {
  static constexpr int kUsual[] = {0, 1, 2, 3}, kStandard[] = {0, 1024, 2048, 4096};
  return family == Mpi::standard ? kStandard : kUsual;
}

}  // namespace

int ask_library(const std::string& library) {
  leave_the_job();
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    fmt::print("cannot be loaded: {}\n", ::dlerror());
    return kFailed;
  }
  const auto version = reinterpret_cast<int (*)(char*, int*)>(::dlsym(handle, "PMPI_Get_library_version"));
  const auto init = reinterpret_cast<int (*)(int*, char***, int, int*)>(::dlsym(handle, "PMPI_Init_thread"));
  const auto finalize = reinterpret_cast<int (*)()>(::dlsym(handle, "PMPI_Finalize"));
  if (version == nullptr || init == nullptr || finalize == nullptr) return kFailed;
  std::vector<char> text(1 << 16);  // more than any MPI's MPI_MAX_LIBRARY_VERSION_STRING
  int length = 0;
  version(text.data(), &length);
  fmt::print("library: {}\n", text.data());
  std::fflush(stdout);
  ::alarm(kInitLimit);
  const int* levels = levels_of(family_of(library.substr(library.rfind('/') + 1), library));
  int granted = -1;
  if (init(nullptr, nullptr, levels[3], &granted) != 0) return kFailed;
  static constexpr const char* kNames[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                           "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  for (int i = 0; i < 4; ++i)
    if (granted == levels[i]) fmt::print("thread level: {}\n", kNames[i]);
  std::fflush(stdout);
  return finalize() == 0 ? 0 : kFailed;
}

}  // namespace lapwing::cli
