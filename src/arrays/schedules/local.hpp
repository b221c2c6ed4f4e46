// SPDX-License-Identifier: Apache-2.0
// The part of an array that one process holds, and the maps between global and
// local indices. Elements lie in local memory in the order of their global
// indices, without gaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrays/schedules/distribution.hpp"

namespace lapwing::arrays {

struct LocalPart {
  std::vector<int> coordinates;          ///< in the grid; empty where the rank is not in it
  std::vector<std::int64_t> extents;     ///< owned elements per dimension
  std::vector<std::int64_t> allocation;  ///< with ghosts and leading dimensions
  std::vector<std::int64_t> strides;     ///< in elements
  std::int64_t first = 0;                ///< offset of the first owned element in the allocation
  std::int64_t elements = 0;             ///< owned
  std::int64_t allocated = 0;            ///< what a buffer must hold, in elements
  bool in_grid = false;
};

/// The part of a task rank: empty for one that is not in the grid.
LocalPart local_part(const Distribution& distribution, int rank);

/// Why the leading dimensions are too small for this rank's part; empty where
/// they are not.
std::string validate_leading(const Distribution& distribution, int rank);

/// How many elements of the dimension one coordinate owns.
std::int64_t owned(const Dimension& dimension, int processes, int coordinate);

struct Place {
  int coordinate;      ///< in the grid dimension; 0 where the dimension is collapsed, -1 where none is known
  std::int64_t local;  ///< among the elements that it owns, from 0
};
/// With index lists, those of this process alone; -1 for indices and coordinates of others.
Place place(const Dimension& dimension, int processes, std::int64_t global);
std::int64_t global_index(const Dimension& dimension, int processes, int coordinate, std::int64_t local);

}  // namespace lapwing::arrays
