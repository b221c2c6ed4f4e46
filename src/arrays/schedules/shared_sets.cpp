// SPDX-License-Identifier: Apache-2.0
// Families are placed family by family; what is told in chunks, chunk by chunk, for all coordinates together,
// so that places are looked up in a table that stays in the cache.
#include "arrays/schedules/shared_sets.hpp"

#include <algorithm>
#include <utility>

#include "arrays/schedules/folder.hpp"
#include "arrays/schedules/set_builder.hpp"

namespace lapwing::arrays {

namespace {

/// Gives the families of indices the places that `own` has for them; both in ascending order.
std::vector<Segments> placed(const std::vector<Segments>& indices, const std::vector<Segments>& own,
                             std::int64_t step) {
  Folder result(step);
  auto at = own.begin();
  for (const Segments& family : indices) {
    while (at != own.end() && end_of(*at) <= family.first) ++at;
    if (at == own.end()) break;
    // All of it by one rule: in one run, or a segment of it in every so-manieth of a family.
    const std::int64_t behind = family.first - at->first;
    if (family.count > 1 && end_of(family) <= end_of(*at)) {
      const std::int64_t period = at->count > 1 ? at->stride : 0;
      if (period == 0) {
        result.add({family.first, family.length, family.stride, family.count, at->local + behind * step,
                    family.stride * step, 0});
        continue;
      }
      if (family.stride % period == 0 && behind % period + family.length <= at->length) {
        result.add({family.first, family.length, family.stride, family.count,
                    at->local + behind / period * at->local_stride + behind % period * step,
                    family.stride / period * at->local_stride, 0});
        continue;
      }
    }
    auto here = at;
    for (std::int64_t k = 0; k < family.count; ++k) {
      std::int64_t index = family.first + k * family.stride;
      for (std::int64_t left = family.length; left > 0 && here != own.end();) {
        if (end_of(*here) <= index) {
          ++here;
          continue;
        }
        const std::int64_t ahead = index - here->first;
        if (ahead < 0) break;  // not one of ours
        const std::int64_t segment = here->count > 1 ? ahead / here->stride : 0;
        const std::int64_t within = ahead - segment * here->stride;
        const std::int64_t length = std::min(left, here->length - within);
        if (length <= 0) break;
        result.add(index, length, here->local + segment * here->local_stride + within * step);
        index += length;
        left -= length;
      }
    }
  }
  return result.take();
}

Shared made(int coordinate, IndexSet set) {
  auto found = std::make_shared<const IndexSet>(std::move(set));
  auto places = joined_places(found);
  return {coordinate, std::move(found), std::move(places)};
}

/// Chunks as families, for places that do not fit into a list.
std::vector<Segments> as_families(const Indices& indices) {
  Folder result;
  ChunkWalk walk(indices);
  ChunkBits bits;
  for (std::int64_t number = walk.next(0); number != ChunkWalk::none; number = walk.next(number + 1)) {
    bits.clear();
    walk.read(number, bits);
    bits.each([&](std::size_t offset) {
      const std::int64_t index = number * chunk_size + static_cast<std::int64_t>(offset);
      result.add(index, 1, index);
    });
  }
  return result.take();
}

/// One coordinate of the other side, on its way through the chunks.
struct Coordinate {
  int number;
  ChunkWalk walk;
  std::int64_t following;
  SetBuilder set;
};

std::vector<Shared> placed_by_chunks(const IndexPart& part, std::int64_t step,
                                     const std::map<int, Indices>& shared) {
  std::vector<Coordinate> all;
  all.reserve(shared.size());
  for (const auto& [coordinate, indices] : shared)
    all.push_back({coordinate, ChunkWalk(indices), 0, SetBuilder(step, count_of(indices))});
  PlacesInChunk places(part, step);
  ChunkBits bits;
  std::array<std::uint32_t, chunk_size> found, lying;
  for (Coordinate& one : all) one.following = one.walk.next(0);
  for (;;) {
    std::int64_t number = ChunkWalk::none;
    for (const Coordinate& one : all)
      if (one.following != ChunkWalk::none && (number == ChunkWalk::none || one.following < number))
        number = one.following;
    if (number == ChunkWalk::none) break;
    places.read(number);
    for (Coordinate& one : all) {
      if (one.following != number) continue;
      std::size_t count = 0;
      const auto low = static_cast<std::uint32_t>(number * chunk_size);
      one.walk.each(number, bits, [&](std::size_t offset) {
        found[count] = low + static_cast<std::uint32_t>(offset);
        lying[count] = places[offset];
        ++count;
      });
      one.set.add(found.data(), lying.data(), count);
      one.following = one.walk.next(number + 1);
    }
  }
  std::vector<Shared> result;
  for (Coordinate& one : all) result.push_back(made(one.number, one.set.take()));
  return result;
}

}  // namespace

std::vector<Shared> shared_sets(const IndexPart& part, std::int64_t step,
                                const std::map<int, Indices>& shared) {
  const bool chunks =
      part.listed != nullptr ||
      std::any_of(shared.begin(), shared.end(), [](const auto& one) { return !one.second.chunks.empty(); });
  if (chunks && (part.listed != nullptr || PlacesInChunk::fits(part, step)))
    return placed_by_chunks(part, step, shared);
  std::vector<Shared> result;
  for (const auto& [coordinate, indices] : shared) {
    std::vector<Segments> families = indices.families;
    if (!indices.chunks.empty()) families = as_families(indices);
    result.push_back(made(coordinate, periodic_set(placed(families, part.families, step), step)));
  }
  return result;
}

}  // namespace lapwing::arrays
