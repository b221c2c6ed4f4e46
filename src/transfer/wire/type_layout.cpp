// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/type_layout.hpp"

#include <optional>

#include "transfer/wire/datatype.hpp"
#include "transfer/wire/type_contents.hpp"

namespace lapwing::transfer {
namespace {

constexpr int most_nested = 8;

// Blocks of one element, from its lower bound 0 on.
struct Blocks {
  std::int64_t first = 0, bytes = 0;
  std::array<AffineAccess::Step, 3> steps{};
  std::size_t count = 0;  // of the steps
};

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0;
  PMPI_Type_get_extent_x(type, &lower, &extent);
  return extent;
}

// From the first byte to the last.
Blocks whole(MPI_Count count, MPI_Datatype type) {
  const Span span = buffer_span(nullptr, count, type);
  return {reinterpret_cast<std::intptr_t>(span.begin), static_cast<std::int64_t>(span.length), {}, 0};
}

// Whether these blocks, `times` times at that distance, can be said.
bool repeat(Blocks& blocks, std::int64_t times, std::int64_t distance) {
  if (times <= 0) return false;
  if (times == 1) return true;
  if (blocks.count == 0 && distance == blocks.bytes) return blocks.bytes *= times, true;
  if (blocks.count == blocks.steps.size()) return false;
  blocks.steps[blocks.count++] = {distance, static_cast<std::uint64_t>(times - 1)};
  return true;
}

std::optional<Blocks> blocks_of(MPI_Datatype type, int depth);

// The dimensions of a part of an array, the one that lies densest first.
bool add_part(Blocks& blocks, const std::vector<MPI_Count>& numbers, std::int64_t element) {
  const auto dimensions = static_cast<std::size_t>(numbers.empty() ? 0 : numbers[0]);
  if (numbers.size() != 3 * dimensions + 2) return false;
  std::int64_t distance = element;
  for (std::size_t n = 0; n < dimensions; ++n) {
    const std::size_t at = numbers.back() == MPI_ORDER_FORTRAN ? n : dimensions - 1 - n;
    blocks.first += numbers[1 + 2 * dimensions + at] * distance;
    if (!repeat(blocks, numbers[1 + dimensions + at], distance)) return false;
    distance *= numbers[1 + at];
  }
  return true;
}

bool add_made(Blocks& blocks, int combiner, const TypeContents& made, std::int64_t element) {
  const auto& numbers = made.numbers;
  switch (combiner) {
    case MPI_COMBINER_DUP:
    case MPI_COMBINER_RESIZED:
      return true;
    case MPI_COMBINER_CONTIGUOUS:
      return numbers.size() == 1 && repeat(blocks, numbers[0], element);
    case MPI_COMBINER_VECTOR:
      return numbers.size() == 3 && repeat(blocks, numbers[1], element) &&
             repeat(blocks, numbers[0], numbers[2] * element);
    case MPI_COMBINER_HVECTOR: {
      const bool is_known = numbers.size() + made.addresses.size() == 3 && numbers.size() >= 2;
      return is_known && repeat(blocks, numbers[1], element) &&
             repeat(blocks, numbers[0], numbers.size() == 3 ? numbers[2] : made.addresses[0]);
    }
    case MPI_COMBINER_SUBARRAY:
      return add_part(blocks, numbers, element);
    default:
      return false;
  }
}

std::optional<Blocks> blocks_of(MPI_Datatype type, int depth) {
  Envelope envelope;
  if (depth == most_nested || !read_envelope(type, &envelope)) return std::nullopt;
  if (envelope.combiner == MPI_COMBINER_NAMED) return whole(1, type);
  TypeContents made;
  if (!read_contents(type, envelope, &made)) return std::nullopt;
  std::optional<Blocks> blocks;
  if (made.types.size() == 1) {
    blocks = blocks_of(made.types[0], depth + 1);
    if (blocks && !add_made(*blocks, envelope.combiner, made, extent_of(made.types[0]))) blocks.reset();
  }
  for (MPI_Datatype& part : made.types)
    if (!is_predefined(part)) PMPI_Type_free(&part);
  return blocks;
}

}  // namespace

AffineAccess layout_of(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count <= 0 || type == MPI_DATATYPE_NULL) return {};
  std::optional<Blocks> blocks = blocks_of(type, 0);
  if (blocks && !repeat(*blocks, count, extent_of(type))) blocks.reset();
  if (!blocks) blocks = whole(count, type);
  const auto first = reinterpret_cast<std::intptr_t>(buffer) + blocks->first;
  return {static_cast<std::uintptr_t>(first), static_cast<std::uint64_t>(blocks->bytes), false, 0,
          blocks->steps};
}

}  // namespace lapwing::transfer
