// SPDX-License-Identifier: Apache-2.0
// Random transfers for property tests, and who owns what by definition: written
// without anything of the room's own arithmetic.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "arrays/schedules/distribution.hpp"
#include "arrays/schedules/schedule.hpp"
#include "arrays/schedules/section.hpp"
#include "support/case_counts.hpp"

namespace lapwing::arrays::testing {

using Random = std::mt19937_64;

/// From `low` to `high`, both included.
inline std::int64_t drawn(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Of dimensions that index lists distribute: the list of each coordinate.
using ListsByDimension = std::map<std::size_t, std::vector<std::vector<std::int64_t>>>;

struct Case {
  Distribution source, destination;
  Section from, to;
  int source_tasks = 1, destination_tasks = 1;  ///< ranks of the two tasks
  Processes processes;
  ListsByDimension source_lists, destination_lists;

  [[nodiscard]] std::string describe() const;
};

/// With given numbers of ranks the two tasks share none, or are the same.
Case random_case(std::mt19937_64& random, int source_tasks = 0, int destination_tasks = 0, bool same = false);

/// Makes index lists of some of its dimensions (index_case.cpp); the distributions then hold no process' own
/// list.
void add_lists(std::mt19937_64& random, Case& c);
/// As the process at this rank has it; -1: none. `number` tells the lists from others.
Distribution with_lists(const Distribution& distribution, const ListsByDimension& lists, int rank,
                        std::int64_t number);

/// Where element `index` of the array lies in the allocation of a rank; -1
/// where that rank does not have it. Counts owned elements one by one.
class OwnerMap {
 public:
  OwnerMap(const Distribution& distribution, int rank, const ListsByDimension& lists = {});
  [[nodiscard]] std::int64_t offset(const std::vector<std::int64_t>& index) const;
  [[nodiscard]] std::int64_t allocated() const { return allocated_; }
  /// The indices along one dimension that it has, ascending; none where it is not in the grid.
  [[nodiscard]] std::vector<std::int64_t> indices(std::size_t dimension) const;
  /// Of one step along a dimension, and of the first owned element.
  [[nodiscard]] std::int64_t stride(std::size_t dimension) const { return strides_[dimension]; }
  [[nodiscard]] std::int64_t first() const { return first_; }

 private:
  const Distribution& distribution_;
  bool in_grid_ = false;
  std::vector<std::vector<std::int64_t>> places_;  ///< per dimension and index: place, or -1
  std::vector<std::int64_t> strides_;
  std::int64_t first_ = 0, allocated_ = 0;
};

}  // namespace lapwing::arrays::testing
