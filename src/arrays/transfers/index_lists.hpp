// SPDX-License-Identifier: Apache-2.0
// Index lists are made by all processes of a task together.
#pragma once

#include <memory>
#include <span>

#include "arrays/error.hpp"
#include "arrays/schedules/grid.hpp"
#include "arrays/schedules/index_list.hpp"

namespace lapwing::arrays {

class TaskComm;

/// This process' list for its place in a dimension of the grid; a process that is not in the grid gives
/// none. Collective over the task. An error (also `found`, which the caller has found) is the same on all
/// processes.
Error make_index_lists(TaskComm& comm, std::int64_t extent, std::span<const std::int64_t> indices,
                       const ProcessGrid& grid, int grid_dimension, const Error& found,
                       std::shared_ptr<const IndexLists>* out);

}  // namespace lapwing::arrays
