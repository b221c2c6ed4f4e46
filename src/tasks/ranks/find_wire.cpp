// SPDX-License-Identifier: Apache-2.0
// Which MPI has started this process, and its wire.
#include <dlfcn.h>
#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <cstdlib>
#include <string>

#include "tasks/ranks/mpi_library.hpp"
#include "tasks/ranks/wire.hpp"

namespace lapwing::tasks::ranks {

namespace {

int number(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

std::string flavour_of_launcher() {
  if (number("OMPI_COMM_WORLD_SIZE") > 1) return "openmpi";
  if (number("PMI_SIZE") > 1) return "mpich";
  return {};
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
  const std::string flavour = linked.empty() ? launcher : linked;
  std::string why;
  void* const library = load_library(flavour, why);
  if (library == nullptr) {
    throw Error(fmt::format(
        "this program runs on several ranks, but {} cannot be loaded: {}; LAPWING_TASKS_RANKS=off "
        "lets each rank run the whole program by itself",
        library_of(flavour), why));
  }
  const auto entry = reinterpret_cast<WireEntry>(dlsym(library, wire_entry));
  if (entry == nullptr) throw Error(fmt::format("{} is not of this version of Lapwing", library_of(flavour)));
  return entry();
}

}  // namespace

Wire* find_wire() {
  static Wire* const only = load();
  return only;
}

}  // namespace lapwing::tasks::ranks
