// SPDX-License-Identifier: Apache-2.0
#include "tasks/outside.hpp"

#include <dlfcn.h>

#include "tasks/ranks/mpi_library.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks {

namespace {

bool in_task(bool main) {
  const Worker* const worker = Worker::self();
  return worker != nullptr && worker->current != nullptr && (main || !worker->current->main);
}

bool idle() {
  const Worker* const worker = Worker::self();
  if (worker == nullptr) return false;
  const Runtime& runtime = worker->runtime;
  return runtime.sleepers.load(std::memory_order_relaxed) >= static_cast<int>(runtime.workers.size());
}

constexpr OutsideHooks hooks{in_task, detail::leave_slot, detail::take_slot, idle};

}  // namespace

Initialised watch_outside_calls() {
  const std::string linked = ranks::loaded_flavour();
  if (linked.empty()) return Initialised::no;
  std::string why;
  void* const library = ranks::load_library(linked, why);
  if (library == nullptr) return Initialised::no;
  const auto entry = reinterpret_cast<OutsideEntry>(dlsym(library, outside_entry));
  return entry == nullptr ? Initialised::no : entry(hooks);
}

}  // namespace lapwing::tasks
