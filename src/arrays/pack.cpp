// SPDX-License-Identifier: Apache-2.0
#include "arrays/pack.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace lapwing::arrays {

namespace {

/// Goes through the elements of a piece in runs of one step: found(offset, step, length).
template <class Found>
void walk(const Piece& piece, std::int64_t from, std::int64_t count, Found found) {
  if (count <= 0) return;
  std::vector<SegmentWalk> at;
  std::vector<std::int64_t> ranks(piece.dimensions.size());
  for (std::size_t d = ranks.size(); d-- > 0;) {
    ranks[d] = from % piece.dimensions[d].set->elements();
    from /= piece.dimensions[d].set->elements();
  }
  for (std::size_t d = 0; d < ranks.size(); ++d) at.emplace_back(*piece.dimensions[d].set, ranks[d]);
  if (at.empty()) {
    found(piece.base, 0, 1);
    return;
  }
  const std::size_t last = at.size() - 1;
  const std::int64_t step = piece.dimensions[last].set->step() * piece.dimensions[last].stride;
  while (count > 0) {
    std::int64_t offset = piece.base;
    for (std::size_t d = 0; d < last; ++d) offset += at[d].local() * piece.dimensions[d].stride;
    for (SegmentWalk& row = at[last]; !row.done() && count > 0;) {
      const std::int64_t length = std::min(count, row.length());
      found(offset + row.local() * piece.dimensions[last].stride, step, length);
      count -= length;
      row.advance(length);
    }
    at[last] = SegmentWalk(*piece.dimensions[last].set, 0);
    for (std::size_t d = last; d-- > 0;) {
      at[d].advance(1);
      if (!at[d].done()) break;
      at[d] = SegmentWalk(*piece.dimensions[d].set, 0);
    }
  }
}

}  // namespace

void pack(const Piece& piece, const void* local, std::int64_t from, std::int64_t count, void* wire) {
  const auto size = static_cast<std::size_t>(piece.local_bytes);
  const auto* source = static_cast<const char*>(local);
  auto* to = static_cast<char*>(wire);
  walk(piece, from, count, [&](std::int64_t offset, std::int64_t step, std::int64_t length) {
    for (std::int64_t k = 0; k < length; ++k, to += size)
      std::memcpy(to, source + (offset + k * step) * piece.local_bytes, size);
  });
}

void unpack(const Piece& piece, void* local, std::int64_t from, std::int64_t count, const void* wire) {
  const auto size = static_cast<std::size_t>(piece.local_bytes);
  auto* destination = static_cast<char*>(local);
  const auto* source = static_cast<const char*>(wire);
  walk(piece, from, count, [&](std::int64_t offset, std::int64_t step, std::int64_t length) {
    for (std::int64_t k = 0; k < length; ++k, source += piece.wire_bytes) {
      char* to = destination + (offset + k * step) * piece.local_bytes;
      if (piece.wire == piece.local) {
        std::memcpy(to, source, size);
      } else {
        convert(piece.wire, source, piece.local, to, 1);
      }
    }
  });
}

void copy_between(const Piece& out, const void* a, const Piece& in, void* b) {
  std::vector<std::byte> strip(
      static_cast<std::size_t>(std::min<std::int64_t>(out.elements, 4096) * out.wire_bytes));
  for (std::int64_t done = 0; done < out.elements;) {
    const std::int64_t count = std::min<std::int64_t>(4096, out.elements - done);
    pack(out, a, done, count, strip.data());
    unpack(in, b, done, count, strip.data());
    done += count;
  }
}

bool contiguous(const Piece& piece, std::int64_t& offset) {
  if (piece.wire != piece.local) return false;
  offset = piece.base;
  std::int64_t unit = 1;
  for (std::size_t d = piece.dimensions.size(); d-- > 0;) {
    const PieceDimension& dimension = piece.dimensions[d];
    const Segments* only = dimension.set->only();
    if (only == nullptr || only->count != 1) return false;
    offset += only->local * dimension.stride;
    if (only->length == 1) continue;
    if (dimension.set->step() * dimension.stride != unit) return false;
    unit *= only->length;
  }
  return true;
}

}  // namespace lapwing::arrays
