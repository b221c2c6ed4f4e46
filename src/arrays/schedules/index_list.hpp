// SPDX-License-Identifier: Apache-2.0
// A dimension that is distributed by lists of indices: each process holds those that its list names, in the
// list's order. A process keeps its own list, as families of segments, and of the others only how long they
// are.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arrays/schedules/folder.hpp"
#include "arrays/schedules/index_part.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

/// The list of one process.
class IndexList {
 public:
  IndexList() = default;
  /// Null with a sentence, which names position and value, where indices are outside of 0 ... extent - 1 or
  /// are given twice.
  IndexList(std::span<const std::int64_t> indices, std::int64_t extent, std::string* problem);

  [[nodiscard]] std::int64_t count() const { return count_; }
  /// In ascending order of indices; places are positions in the list. No two interleave. None where the
  /// indices are kept one by one, since there would be many.
  [[nodiscard]] const std::vector<Segments>& families() const { return families_; }
  /// The position of an index; -1 where it is not in the list.
  [[nodiscard]] std::int64_t position(std::int64_t index) const;
  [[nodiscard]] std::int64_t index(std::int64_t position) const;
  /// The indices of a section of the dimension, counted from its beginning.
  [[nodiscard]] IndexPart in_section(const SectionDimension& section) const;
  /// Equal lists have equal ones.
  [[nodiscard]] std::uint64_t hash() const;

 private:
  void fold_ascending(std::span<const std::int64_t> indices);
  void fold_sorted(std::span<const std::int64_t> indices, std::string* problem);
  void fold_wide(std::span<const std::int64_t> indices, std::string* problem);
  void fold_positions(std::span<const std::int64_t> indices);

  std::int64_t count_ = 0;
  std::vector<Segments> families_;
  std::shared_ptr<const ListedIndices> listed_;
  // The reverse: as families of positions, or, where they would be larger, the list itself. Neither where
  // indices are listed in ascending order.
  std::vector<Segments> positions_;
  std::vector<std::int64_t> indices_;
  std::vector<std::uint32_t> given_;  ///< those of a list in another order
};

/// The lists of all processes along one grid dimension, as one process knows them.
struct IndexLists {
  std::array<std::int64_t, 2> id{};  ///< of no other lists in the job; equal on all processes
  std::int64_t extent = 0;
  int processes = 1;
  int coordinate = -1;  ///< whose list is `list`; -1: of none of them
  IndexList list;
  std::vector<std::int64_t> counts;  ///< of each coordinate; empty where the lists are those of another task
  std::int64_t missing = -1;         ///< the lowest index that is in no list; -1: there is none
  std::int64_t repeated = -1;        ///< the lowest index that is in two lists
  int first_rank = -1, second_rank = -1;  ///< the task ranks that have it
};

/// The dimension of these lists.
Dimension indexed(std::shared_ptr<const IndexLists> lists, int grid_dimension);

/// Whether a dimension of the array is distributed by lists.
bool has_lists(const Distribution& distribution);

/// Why elements of this array cannot be sent: an index that is in no list, or in two. Empty where they can.
std::string cannot_send(const Distribution& distribution);

/// Why the process at this rank cannot use the array: the lists were made for another grid.
std::string wrong_lists(const Distribution& distribution, int rank);

}  // namespace lapwing::arrays
