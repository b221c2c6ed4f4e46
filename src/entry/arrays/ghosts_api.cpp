// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 5: updates of ghosts.
#include <fmt/format.h>

#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using lapwing::entry::refused;
using lapwing::entry::view_of;

namespace {

struct Given {
  void* local;
  std::int64_t elements;
  const lapwing_distribution* array;
  int ghosts;
  const int* periodic;
  lapwing_tasks* tasks;
  bool adds = false;
};

/// Calls `use(comm, operand, update, found)` with what is given.
template <typename Use>
int with_update(const char* routine, const Given& given, Use use) {
  if (!given.tasks) return refused(routine, Code::argument, "the tasks are null");
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(routine, error);
  arrays::Error found;
  if (given.ghosts != LAPWING_GHOSTS_FACES && given.ghosts != LAPWING_GHOSTS_CORNERS)
    found = {Code::argument, fmt::format("task {}, rank {}: ghosts {} are unknown; see enum lapwing_ghosts",
                                         given.tasks->comm->task(), given.tasks->comm->rank(), given.ghosts)};
  arrays::GhostUpdate update;
  update.adds = given.adds;
  update.corners = given.ghosts == LAPWING_GHOSTS_CORNERS;
  if (given.array && given.periodic) {
    const std::size_t dimensions = given.array->view->distribution.dimensions.size();
    for (std::size_t d = 0; d < dimensions; ++d) update.periodic.push_back(given.periodic[d] != 0);
  }
  const arrays::Operand array{given.local, given.elements, view_of(given.array)};
  return use(given.tasks->comm, array, std::move(update), found);
}

int finish_update(const char* routine, const Given& given) {
  return with_update(routine, given,
                     [&](const auto& comm, const auto& array, auto update, const auto& found) {
                       return lapwing::entry::completed(
                           routine, arrays::update_ghosts(comm, array, std::move(update), found), nullptr);
                     });
}

int hand_out_update(const char* routine, const Given& given, bool persistent,
                    lapwing_array_request** request) {
  if (!request) return refused(routine, Code::argument, "the request is null");
  *request = nullptr;
  return with_update(routine, given,
                     [&](const auto& comm, const auto& array, auto update, const auto& found) {
                       auto handle = arrays::begin_ghosts(comm, array, std::move(update), persistent, found);
                       return lapwing::entry::hand_out(std::move(handle), given.array, persistent, request);
                     });
}

}  // namespace

LAPWING_ENTRY int lapwing_array_update_ghosts(void* local, int64_t elements,
                                              const lapwing_distribution* array, int ghosts,
                                              const int* periodic, lapwing_tasks* tasks) {
  return finish_update(__func__, {local, elements, array, ghosts, periodic, tasks});
}

LAPWING_ENTRY int lapwing_array_iupdate_ghosts(void* local, int64_t elements,
                                               const lapwing_distribution* array, int ghosts,
                                               const int* periodic, lapwing_tasks* tasks,
                                               lapwing_array_request** request) {
  return hand_out_update(__func__, {local, elements, array, ghosts, periodic, tasks}, false, request);
}

LAPWING_ENTRY int lapwing_array_update_ghosts_init(void* local, int64_t elements,
                                                   const lapwing_distribution* array, int ghosts,
                                                   const int* periodic, lapwing_tasks* tasks,
                                                   lapwing_array_request** request) {
  return hand_out_update(__func__, {local, elements, array, ghosts, periodic, tasks}, true, request);
}

LAPWING_ENTRY int lapwing_array_add_ghosts(void* local, int64_t elements, const lapwing_distribution* array,
                                           int ghosts, const int* periodic, lapwing_tasks* tasks) {
  return finish_update(__func__, {local, elements, array, ghosts, periodic, tasks, true});
}

LAPWING_ENTRY int lapwing_array_iadd_ghosts(void* local, int64_t elements, const lapwing_distribution* array,
                                            int ghosts, const int* periodic, lapwing_tasks* tasks,
                                            lapwing_array_request** request) {
  return hand_out_update(__func__, {local, elements, array, ghosts, periodic, tasks, true}, false, request);
}

LAPWING_ENTRY int lapwing_array_add_ghosts_init(void* local, int64_t elements,
                                                const lapwing_distribution* array, int ghosts,
                                                const int* periodic, lapwing_tasks* tasks,
                                                lapwing_array_request** request) {
  return hand_out_update(__func__, {local, elements, array, ghosts, periodic, tasks, true}, true, request);
}
