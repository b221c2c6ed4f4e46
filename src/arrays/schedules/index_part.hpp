// SPDX-License-Identifier: Apache-2.0
// The indices that one process holds of a section of one dimension, in ascending order, with where they lie:
// as families, or, where these would be many, one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrays/schedules/chunks.hpp"

namespace lapwing::arrays {

/// Indices one by one, in ascending order, each with its place.
struct ListedIndices {
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> places;  ///< empty: 0, 1, 2, ...

  [[nodiscard]] std::uint32_t place(std::size_t k) const {
    return places.empty() ? static_cast<std::uint32_t>(k) : places[k];
  }
};

struct IndexPart {
  std::vector<Segments> families;
  std::shared_ptr<const ListedIndices> listed;  ///< null: families; else its entries [from, to)
  std::size_t from = 0, to = 0;
  std::int64_t shift = 0;  ///< listed indices count from here

  [[nodiscard]] std::int64_t index(std::size_t k) const { return listed->indices[k] - shift; }
};

/// The indices in [low, high), as they are told.
Indices indices_in(const IndexPart& part, std::int64_t low, std::int64_t high, std::int64_t step);

/// Where the indices of one chunk lie.
class PlacesInChunk {
 public:
  PlacesInChunk(const IndexPart& part, std::int64_t step) : part_(&part), step_(step), at_(part.from) {}
  /// Numbers ascend from call to call.
  void read(std::int64_t number);
  /// Of an index of the part in that chunk.
  std::uint32_t operator[](std::size_t offset) const { return places_[offset]; }
  /// All indices and places fit into 32 bits.
  static bool fits(const IndexPart& part, std::int64_t step);

 private:
  const IndexPart* part_;
  std::int64_t step_;
  std::size_t at_, family_ = 0;
  std::array<std::uint32_t, chunk_size> places_{};
};

}  // namespace lapwing::arrays
