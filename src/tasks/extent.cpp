// SPDX-License-Identifier: Apache-2.0
#include "tasks/extent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tasks/planted.hpp"

namespace lapwing::tasks {

namespace {

constexpr std::uint64_t most_looked_at = 64;  // pieces that are looked at one by one

bool ranges_overlap(std::uint64_t a, std::uint64_t a_end, std::uint64_t b, std::uint64_t b_end) {
  return a < b_end && b < a_end;
}

// Of a piece with an extent whose pieces are `stride` apart.
bool piece_overlaps(std::uint64_t first, std::uint64_t width, const Extent& of) {
  const std::uint64_t end = first + width;
  if (!ranges_overlap(first, end, of.first, end_of(of))) return false;
  if (of.count == 1) return true;
  // The first piece of `of` that ends behind `first`; the others come later.
  const std::uint64_t last = of.first + of.width;
  const std::uint64_t skipped = first < last ? 0 : (first - last) / of.stride + 1;
  return skipped < of.count && of.first + skipped * of.stride < end;
}

// Numbers of strides from a's first piece to one of b that meets it: lowest <= k <= highest.
bool same_stride_overlaps(const Extent& a, const Extent& b) {
  const auto stride = static_cast<std::int64_t>(a.stride);
  const auto distance = static_cast<std::int64_t>(b.first) - static_cast<std::int64_t>(a.first);
  const auto floor = [stride](std::int64_t n) { return n >= 0 ? n / stride : -((-n + stride - 1) / stride); };
  // -b.width < distance + k * stride < a.width, for k = (piece of b) - (piece of a)
  const std::int64_t highest = floor(static_cast<std::int64_t>(a.width) - 1 - distance);
  const std::int64_t lowest = -floor(static_cast<std::int64_t>(b.width) - 1 + distance);
  return std::max(lowest, 1 - static_cast<std::int64_t>(a.count)) <=
         std::min(highest, static_cast<std::int64_t>(b.count) - 1);
}

// The end of the bytes from `first` on that the extent has without a gap, or `first`.
std::uint64_t run_from(std::uint64_t first, const Extent& extent) {
  if (first < extent.first || first >= end_of(extent)) return first;
  if (extent.count == 1) return end_of(extent);
  const std::uint64_t piece = (first - extent.first) / extent.stride;
  const std::uint64_t end = extent.first + piece * extent.stride + extent.width;
  return std::max(first, end);
}

}  // namespace

Extent normal(Extent extent) {
  if (extent.count == 0) extent.width = 0;
  if (extent.width == 0) return {extent.first, 0, 1, 0};
  if (extent.count > 1 && extent.stride == extent.width)
    return {extent.first, extent.width * extent.count, 1, 0};
  if (extent.count == 1) extent.stride = 0;
  return extent;
}

std::uint64_t end_of(const Extent& extent) {
  return extent.first + (extent.count - 1) * extent.stride + extent.width;
}

bool overlap(const Extent& a, const Extent& b) {
  if (fault(Fault::blind_parts)) return a.first == b.first;
  if (a.width == 0 || b.width == 0 || !ranges_overlap(a.first, end_of(a), b.first, end_of(b))) return false;
  if (a.count == 1) return piece_overlaps(a.first, a.width, b);
  if (b.count == 1) return piece_overlaps(b.first, b.width, a);
  if (a.stride == b.stride) return same_stride_overlaps(a, b);
  const Extent& fewer = a.count < b.count ? a : b;
  const Extent& more = a.count < b.count ? b : a;
  if (fewer.count > most_looked_at) return true;
  for (std::uint64_t i = 0; i < fewer.count; ++i) {
    if (piece_overlaps(fewer.first + i * fewer.stride, fewer.width, more)) return true;
  }
  return false;
}

bool covered(const Extent& extent, const std::vector<const Extent*>& by) {
  if (extent.width == 0) return true;
  for (std::uint64_t piece = 0; piece < extent.count; ++piece) {
    std::uint64_t at = extent.first + piece * extent.stride;
    const std::uint64_t end = at + extent.width;
    // One that has all of the first piece and the same stride has all the others.
    for (const Extent* one : by) {
      const bool whole = one->count == 1 ? end_of(*one) >= end_of(extent)
                                         : one->stride == extent.stride && end_of(*one) >= end_of(extent);
      if (piece == 0 && whole && run_from(at, *one) >= end) return true;
    }
    while (at < end) {
      std::uint64_t furthest = at;
      for (const Extent* one : by) furthest = std::max(furthest, run_from(at, *one));
      if (furthest == at) return false;
      at = furthest;
    }
  }
  return true;
}

std::string text_of(const Extent& extent) {
  if (extent.count == 1) return fmt::format("bytes {} to {}", extent.first, end_of(extent));
  return fmt::format("{} of every {} bytes from {} to {}", extent.width, extent.stride, extent.first,
                     end_of(extent));
}

}  // namespace lapwing::tasks
