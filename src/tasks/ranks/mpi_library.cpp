// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/mpi_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

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
  std::string flavour;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const std::string_view name = info->dlpi_name;
        auto& found = *static_cast<std::string*>(data);
        const auto is = [name](std::string_view library) { return name.find(library) != name.npos; };
        if (is("libmpich.so") || is("libmpi.so.12")) found = "mpich";
        if (is("libmpi.so.40")) found = "openmpi";
        return 0;
      },
      &flavour);
  return flavour;
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
