// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/window.hpp"

#include <algorithm>
#include <array>

#include "mpi/world_ranks.hpp"

namespace lapwing::transfer {
namespace {

// The group of the window, as ranks in MPI_COMM_WORLD.
std::vector<int> members(MPI_Win win) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Win_get_group(win, &group);
  std::vector<int> ranks = mpi::world_ranks(group);
  PMPI_Group_free(&group);
  return ranks;
}

bool all_have(int unit, MPI_Comm comm) {
  const std::array<int, 2> mine{unit, -unit};
  std::array<int, 2> least{};
  PMPI_Allreduce(mine.data(), least.data(), 2, MPI_INT, MPI_MIN, comm);
  return least[0] == -least[1];
}

}  // namespace

std::optional<Window> Window::look_at(MPI_Win win, MPI_Comm comm) {
  int *unit = nullptr, *flavour = nullptr, found = 0, known = 0;
  PMPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, static_cast<void*>(&unit), &found);
  PMPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, static_cast<void*>(&flavour), &known);
  Window window;
  window.handle_ = win;
  window.world_ = members(win);
  const bool here = std::none_of(window.world_.begin(), window.world_.end(),
                                 [](int rank) { return rank == MPI_UNDEFINED; });
  if (!here || !known || *flavour == MPI_WIN_FLAVOR_SHARED) return std::nullopt;
  const int mine = found ? *unit : 0;
  if (!all_have(mine, comm) || mine <= 0) return std::nullopt;
  window.unit_ = static_cast<std::size_t>(mine);
  return window;
}

void Window::lock(Targets targets) {
  if (targets)
    locked_.insert(*targets);
  else
    all_locked_ = true;
}

void Window::unlock(Targets targets) {
  if (targets)
    locked_.erase(*targets);
  else
    all_locked_ = false;
  end_accesses(targets);
}

void Window::end_accesses(Targets targets) {
  erase(gets_, targets);
  erase(changes_, targets);
  erase(puts_, targets);
}

void Window::erase(std::set<int>& from, Targets targets) {
  if (targets)
    from.erase(*targets);
  else
    from.clear();
}

}  // namespace lapwing::transfer
