// SPDX-License-Identifier: Apache-2.0
// Who owns which element of a distributed array: what HPF's PROCESSORS, ALIGN
// and DISTRIBUTE say, or a ScaLAPACK descriptor (HPF/MPI 2.1, step 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/schedules/element.hpp"
#include "arrays/schedules/grid.hpp"

namespace lapwing::arrays {

enum class Layout : std::uint8_t {
  collapsed,  ///< HPF's *: every process of the grid has the whole dimension
  cyclic,     ///< CYCLIC(k), which is BLOCK where k times the processes cover the dimension
  irregular,  ///< contiguous parts with given boundaries
  indexed     ///< what a list for each process names (index_list.hpp)
};

struct IndexLists;

struct Dimension {
  std::int64_t extent = 0;
  Layout layout = Layout::collapsed;
  std::int64_t block = 1;                   ///< cyclic: the k of CYCLIC(k)
  std::vector<std::int64_t> bounds;         ///< irregular: as many boundaries as processes, and one
  std::shared_ptr<const IndexLists> lists;  ///< indexed
  int grid_dimension = -1;                  ///< -1: collapsed
  int first_process = 0;                    ///< who has the first block; ScaLAPACK's RSRC and CSRC
  std::int64_t offset = 0;       ///< alignment: element i lies where the template's i + offset lies
  std::int64_t ghost_below = 0;  ///< layers of the local allocation that a transfer leaves
  std::int64_t ghost_above = 0;  ///< alone; a ghost update fills them

  bool operator==(const Dimension&) const = default;
};

Dimension collapsed(std::int64_t extent);
Dimension cyclic(std::int64_t extent, std::int64_t block, int grid_dimension);
/// HPF's BLOCK: ceil(extent / processes) elements each, the last ones fewer or none.
Dimension block(std::int64_t extent, int processes, int grid_dimension);
Dimension irregular(std::vector<std::int64_t> bounds, int grid_dimension);

enum class Order : std::uint8_t { row_major, column_major };

/// A grid dimension that no array dimension uses replicates the array over it.
struct Distribution {
  ElementType type = ElementType::float64;
  std::int64_t opaque_bytes = 0;  ///< the size of an opaque element; 0 for all others
  std::vector<Dimension> dimensions;
  ProcessGrid grid;
  Order order = Order::row_major;  ///< of the local allocation
  /// Extents of the local allocation, ghosts included; empty, or 0 for one
  /// dimension: as small as possible. May differ from rank to rank, so it is
  /// not part of what is exchanged nor compared.
  std::vector<std::int64_t> leading;

  [[nodiscard]] std::int64_t element_bytes() const {
    return opaque_bytes != 0 ? opaque_bytes : size_of(type);
  }
  /// The processes that array dimension d is spread over.
  [[nodiscard]] int processes(std::size_t d) const;
  [[nodiscard]] std::int64_t elements() const;
  /// Without leading.
  [[nodiscard]] bool same_as(const Distribution& other) const;
};

/// Why this is not a distribution over a task of that many ranks, in a sentence
/// that names the dimension and both values; empty where it is one. A negative
/// size: the task is not known.
std::string validate(const Distribution& distribution, int task_size);

/// HPF's notation, such as "float64 (1000, 36) (BLOCK(250), CYCLIC(4)) onto 4 x 2".
std::string describe(const Distribution& distribution);

// A distribution as the descriptor exchange sends it (HPF/MPI 2.1, step 3), without `leading`.
std::vector<std::byte> encode(const Distribution& distribution);
struct Decoded {
  std::optional<Distribution> distribution;
  std::string problem;  ///< why there is none
};
Decoded decode(std::span<const std::byte> bytes);

}  // namespace lapwing::arrays
