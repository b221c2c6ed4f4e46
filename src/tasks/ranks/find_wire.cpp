// SPDX-License-Identifier: Apache-2.0
// Which MPI has started this process, and its wire.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <lapwing/tasks/errors.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

#include "tasks/ranks/wire.hpp"

namespace lapwing::tasks::ranks {

namespace {

// The MPI that the program is linked with, if it is.
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

int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

std::string flavour_of_launcher() {
  if (number("OMPI_COMM_WORLD_SIZE") > 1) return "openmpi";
  if (number("PMI_SIZE") > 1) return "mpich";
  return {};
}

std::string beside_this_library(const std::string& name) {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&find_wire), &info) == 0 || info.dli_fname == nullptr) return name;
  const std::string path = info.dli_fname;
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? name : path.substr(0, slash + 1) + name;
}

Wire* load() {
  const std::string launcher = flavour_of_launcher();
  const std::string linked = loaded_flavour();
  if (launcher.empty() && linked.empty()) return nullptr;
  if (!launcher.empty() && !linked.empty() && launcher != linked) {
    throw Error(
        fmt::format("this program is linked with {} but was started by {}'s mpiexec", linked, launcher));
  }
  if (launcher.empty() && number("LAPWING_TASKS_RANKS") == 0) return nullptr;
  const std::string name = "liblapwing-tasks-" + (linked.empty() ? launcher : linked) + ".so";
  // Open MPI's own parts look for its symbols among the global ones.
  void* library = nullptr;
  std::string why;
  for (const std::string& path : {beside_this_library(name), name}) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    if (library != nullptr) break;
    const char* const said = dlerror();
    if (said != nullptr) why += (why.empty() ? "" : "; ") + std::string(said);
  }
  if (library == nullptr) {
    throw Error(fmt::format(
        "this program runs on several ranks, but {} cannot be loaded: {}; LAPWING_TASKS_RANKS=off "
        "lets each rank run the whole program by itself",
        name, why));
  }
  const auto entry = reinterpret_cast<WireEntry>(dlsym(library, wire_entry));
  if (entry == nullptr) throw Error(fmt::format("{} is not of this version of Lapwing", name));
  return entry();
}

}  // namespace

Wire* find_wire() {
  static Wire* const only = load();
  return only;
}

}  // namespace lapwing::tasks::ranks
