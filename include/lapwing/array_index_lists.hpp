// SPDX-License-Identifier: Apache-2.0
// Index lists of distributed arrays for C++; lapwing/arrays.hpp includes it.
//
//   lapwing::IndexLists lists(tasks, cells, mine);                                 // mine: the cells of this
//   process lapwing::DistributedArray<double> mesh(tasks, {lists.dimension()}, {tasks.processes()});
#pragma once

#include "lapwing/arrays.hpp"

namespace lapwing {

/// Which indices of a dimension each process of a task holds (lapwing_index_lists_create).
class IndexLists {
 public:
  /// The calling process holds `indices`, in this order. Without a grid the lists lie along all processes of
  /// the task. Collective over the task.
  IndexLists(const Tasks& tasks, std::int64_t extent, const std::vector<std::int64_t>& indices,
             const std::vector<int>& grid = {}, int grid_dimension = 0, const std::vector<int>& ranks = {}) {
    const lapwing_grid over{static_cast<int>(grid.size()), grid.data(), LAPWING_ROW_MAJOR,
                            ranks.empty() ? nullptr : ranks.data()};
    detail::check_array(
        lapwing_index_lists_create(extent, indices.data(), static_cast<std::int64_t>(indices.size()),
                                   grid.empty() ? nullptr : &over, grid_dimension, tasks.get(), &lists_));
  }
  IndexLists(IndexLists&& other) noexcept : lists_(std::exchange(other.lists_, nullptr)) {}
  IndexLists& operator=(IndexLists&& other) noexcept {
    std::swap(lists_, other.lists_);
    return *this;
  }
  ~IndexLists() { lapwing_index_lists_free(&lists_); }

  /// For the distributions that are made while these lists live.
  lapwing_dimension dimension(int grid_dimension = 0) const {
    return lapwing_indexed(lists_, grid_dimension);
  }
  const lapwing_index_lists* get() const { return lists_; }

 private:
  lapwing_index_lists* lists_ = nullptr;
};

}  // namespace lapwing
