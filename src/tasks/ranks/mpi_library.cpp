// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/mpi_library.hpp"

#include <dlfcn.h>
#include <lapwing/loaded_mpi.hpp>

namespace lapwing::tasks::ranks {

namespace {

std::string beside_this_library(const std::string& name) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&load_library), &info) == 0 || info.dli_fname == nullptr) return name;
  const std::string path = info.dli_fname;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

}  // namespace

std::string library_of(const std::string& flavour) { return "liblapwing-tasks-" + flavour + ".so"; }

std::string loaded_flavour() {
  const mpi::LoadedMpis loaded = mpi::loaded_mpis(dlsym);
  for (int i = 0; i < loaded.count; ++i) {
    if (loaded.at[i].family == mpi::Family::mpich) return "mpich";
    if (loaded.at[i].family == mpi::Family::openmpi) return "openmpi";
  }
  return "";
}

void* load_library(const std::string& flavour, std::string& why) {
  const std::string name = library_of(flavour);
  for (const std::string& path : {beside_this_library(name), name}) {
    // Open MPI's own parts look for its symbols among the global ones.
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE)) return library;
    const char* const said = dlerror();
    if (said != nullptr) why += (why.empty() ? "" : "; ") + std::string(said);
  }
  return nullptr;
}

}  // namespace lapwing::tasks::ranks
