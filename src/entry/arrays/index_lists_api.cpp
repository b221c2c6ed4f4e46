// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 6: index lists.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "arrays/transfers/index_lists.hpp"
#include "arrays/transfers/progress.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using lapwing::entry::refused;

namespace {

// Errors in the arguments themselves, on which the processes of the task then agree.
arrays::Error check_lists(const arrays::TaskComm& comm, int64_t extent, const int64_t* indices, int64_t count,
                          const arrays::ProcessGrid& grid, int grid_dimension) {
  const auto found = [&](const std::string& why) {
    return arrays::Error{Code::argument, fmt::format("task {}, rank {}: {}", comm.task(), comm.rank(), why)};
  };
  constexpr int64_t largest = int64_t{1} << 60;
  if (extent < 0 || extent > largest) return found(fmt::format("the dimension has an extent of {}", extent));
  if (count < 0) return found(fmt::format("the index list has {} indices", count));
  if (count > 0 && !indices) return found(fmt::format("the index list of {} indices is null", count));
  if (std::string why = validate(grid, comm.processes()); !why.empty())
    return {Code::grid, fmt::format("task {}, rank {}: {}", comm.task(), comm.rank(), why)};
  const int available = static_cast<int>(grid.extents.size());
  if (grid_dimension < 0 || grid_dimension >= available)
    return found(
        fmt::format("the lists lie on grid dimension {}, but the grid has {}", grid_dimension, available));
  return {};
}

}  // namespace

LAPWING_ENTRY int lapwing_index_lists_create(int64_t extent, const int64_t* indices, int64_t count,
                                             const struct lapwing_grid* grid, int grid_dimension,
                                             lapwing_tasks* tasks, lapwing_index_lists** lists) {
  constexpr const char* name = "lapwing_index_lists_create";
  if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(name, error);
  if (!tasks || !lists)
    return refused(name, Code::argument, "the tasks or the place for the result are null");
  arrays::ProcessGrid over = arrays::make_grid({tasks->comm->processes()});
  if (grid && (grid->dimensions < 0 || !grid->extents))
    return refused(name, Code::argument, "the grid has no extents");
  if (grid) {
    over = arrays::make_grid({grid->extents, grid->extents + grid->dimensions},
                             grid->order == LAPWING_COLUMN_MAJOR);
    if (grid->ranks) std::copy_n(grid->ranks, over.ranks.size(), over.ranks.begin());
  }
  const arrays::Error found = check_lists(*tasks->comm, extent, indices, count, over, grid_dimension);
  const std::span<const int64_t> list(indices, found ? 0 : static_cast<std::size_t>(count));
  std::shared_ptr<const arrays::IndexLists> made;
  if (arrays::Error error = make_index_lists(*tasks->comm, extent, list, over, grid_dimension, found, &made))
    return arrays::report(name, error);
  *lists = new lapwing_index_lists{std::move(made)};
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_index_lists_free(lapwing_index_lists** lists) {
  if (lists) {
    delete *lists;
    *lists = nullptr;
  }
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY struct lapwing_dimension lapwing_indexed(const lapwing_index_lists* lists, int grid_dimension) {
  return {lists ? lists->lists->extent : 0, LAPWING_INDEXED, 1, nullptr, grid_dimension, 0, 0, 0, 0, lists};
}
