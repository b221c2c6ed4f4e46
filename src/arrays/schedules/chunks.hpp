// SPDX-License-Identifier: Apache-2.0
// Sets of indices as they are told and compared: families where they follow rules; elsewhere chunks of the
// index space, each as bits or as a list of offsets, whichever is shorter. Sparse and dense parts
// may lie beside each other.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "arrays/schedules/falls.hpp"

namespace lapwing::arrays {

using Words = std::vector<std::int64_t>;

/// Indices in a chunk; chunk `number` begins at number * chunk_size.
inline constexpr std::int64_t chunk_size = 4096;

/// The indices of one chunk, one bit each.
class ChunkBits {
 public:
  static constexpr std::size_t words = chunk_size / 64;

  void clear() { bits_.fill(0); }
  void set(std::size_t offset) { bits_[offset / 64] |= std::uint64_t{1} << offset % 64; }
  /// Offsets [from, to).
  void set_range(std::size_t from, std::size_t to);
  std::uint64_t& operator[](std::size_t word) { return bits_[word]; }
  const std::uint64_t& operator[](std::size_t word) const { return bits_[word]; }
  [[nodiscard]] std::int64_t count() const;

  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t w = 0; w < words; ++w)
      for (std::uint64_t rest = bits_[w]; rest != 0; rest &= rest - 1)
        visit(w * 64 + static_cast<std::size_t>(__builtin_ctzll(rest)));
  }

 private:
  std::array<std::uint64_t, words> bits_{};
};

/// Appends a chunk; those of one set in ascending order. Nothing where it is empty.
void write_chunk(Words& out, std::int64_t number, const ChunkBits& bits);
/// The same of offsets in ascending order.
using ChunkOffset = std::uint16_t;
void write_chunk(Words& out, std::int64_t number, std::span<const ChunkOffset> offsets);
/// Chunks of no more indices are told as offsets.
inline constexpr std::size_t most_offsets =
    (ChunkBits::words - 1) * (sizeof(std::int64_t) / sizeof(ChunkOffset));

/// A set: what the families and the chunks hold together. Places of the families mean nothing.
struct Indices {
  std::vector<Segments> families;
  Words chunks;

  [[nodiscard]] bool empty() const { return families.empty() && chunks.empty(); }
};

/// Walks a set chunk by chunk.
class ChunkWalk {
 public:
  static constexpr std::int64_t none = -1;

  explicit ChunkWalk(const Indices& set) : set_(&set) {}
  /// The first chunk from `number` on that has an index. Numbers ascend from call to call.
  [[nodiscard]] std::int64_t next(std::int64_t number);
  /// Adds the indices of a chunk to the bits; the chunk that next() was asked about, or a later one.
  void read(std::int64_t number, ChunkBits& bits);
  /// Visits the offsets of a chunk, as read() would, in ascending order.
  template <class Visit>
  void each(std::int64_t number, ChunkBits& room, Visit visit) {
    const unsigned char* offsets = nullptr;
    const std::size_t count = only_offsets(number, &offsets);
    for (std::size_t k = 0; k < count; ++k) {
      ChunkOffset offset = 0;
      std::memcpy(&offset, offsets + k * sizeof offset, sizeof offset);
      visit(offset);
    }
    if (count > 0) return;
    room.clear();
    read(number, room);
    room.each(visit);
  }

 private:
  /// How many, where all that the chunk has is one list of offsets, which is then behind; else 0.
  std::size_t only_offsets(std::int64_t number, const unsigned char** offsets);
  void reach(std::int64_t number);

  const Indices* set_;
  std::size_t family_ = 0, word_ = 0;
};

/// How many segments the families have.
std::int64_t segments_of(const std::vector<Segments>& families);

std::int64_t count_of(const Indices& set);

/// As words, and back; `words` then begins behind the set.
void write_indices(Words& out, const Indices& set);
Indices read_indices(std::span<const std::int64_t>& words);

/// The index behind the last one of a family.
inline std::int64_t end_of(const Segments& family) {
  return family.first + (family.count - 1) * family.stride + family.length;
}

/// The first segment of a family that ends behind `index`, which is before the family's own end.
inline std::int64_t segment_behind(const Segments& family, std::int64_t index) {
  const std::int64_t ahead = index - family.first - family.length;
  if (ahead < 0 || family.count == 1) return 0;
  return ahead / family.stride + 1;
}

}  // namespace lapwing::arrays
