// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/combiner.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace lapwing::arrays {

namespace {

// The piece's dimensions, the one of the largest steps first.
std::vector<std::size_t> memory_order(const Piece& piece) {
  std::vector<std::size_t> order(piece.dimensions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(piece.dimensions[a].stride) > std::abs(piece.dimensions[b].stride);
  });
  return order;
}

std::shared_ptr<const IndexSet> first_elements(std::int64_t count) {
  Segments segment;
  segment.length = count;
  Falls falls;
  falls.elements = count;
  falls.inner.push_back(segment);
  return std::make_shared<IndexSet>(std::vector<Falls>{falls}, 1);
}

// Calls visit(offset, length, step) for the runs of the piece, in memory order.
template <typename Visit>
void each_run(const Piece& piece, const std::vector<std::size_t>& order, std::size_t level,
              std::int64_t offset, const Visit& visit) {
  if (order.empty()) return visit(offset, std::int64_t{1}, std::int64_t{1});
  const PieceDimension& dimension = piece.dimensions[order[level]];
  const std::int64_t step = dimension.places->step() * dimension.stride;
  for (SegmentWalk at(*dimension.places, 0); !at.done(); at.next()) {
    const std::int64_t first = offset + at.local() * dimension.stride;
    if (level + 1 == order.size()) {
      visit(first, at.length(), step);
      continue;
    }
    for (std::int64_t i = 0; i < at.length(); ++i) each_run(piece, order, level + 1, first + i * step, visit);
  }
}

// A number of its two parts, without the care of the language's own product for infinities:
// the formula of BLAS.
template <typename Part>
struct Pair {
  Part re, im;
  Pair operator*(const Pair& b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
  Pair operator+(const Pair& b) const { return {re + b.re, im + b.im}; }
};

template <typename Part>
Pair<Part> conjugated(const Pair<Part>& x) {
  return {x.re, -x.im};
}
template <typename Part>
Part conjugated(Part x) {
  return x;
}

template <typename Element>
void combine_as(const Piece& piece, Element alpha, Element beta, bool conjugate, bool reads,
                const void* arrived, void* local) {
  const auto* from = static_cast<const Element*>(arrived);
  auto* const to = static_cast<Element*>(local) + piece.base;
  each_run(piece, memory_order(piece), 0, 0, [&](std::int64_t first, std::int64_t length, std::int64_t step) {
    Element* const here = to + first;
    const auto each = [&](auto value) {
      for (std::int64_t i = 0; i < length; ++i) here[i * step] = value(i, here[i * step]);
    };
    if (!from && reads) return each([&](std::int64_t, Element old) { return beta * old; });
    if (!from) return each([&](std::int64_t, Element) { return Element{}; });
    if (conjugate && reads)
      each([&](std::int64_t i, Element old) { return alpha * conjugated(from[i]) + beta * old; });
    else if (conjugate)
      each([&](std::int64_t i, Element) { return alpha * conjugated(from[i]); });
    else if (reads)
      each([&](std::int64_t i, Element old) { return alpha * from[i] + beta * old; });
    else
      each([&](std::int64_t i, Element) { return alpha * from[i]; });
    from += length;
  });
}

template <typename Part>
void combine_real(const Piece& piece, const Transform& t, bool reads, const void* arrived, void* local) {
  combine_as<Part>(piece, static_cast<Part>(t.alpha.real()), static_cast<Part>(t.beta.real()), false, reads,
                   arrived, local);
}

template <typename Part>
void combine_complex(const Piece& piece, const Transform& t, bool reads, const void* arrived, void* local) {
  const auto pair = [](std::complex<double> x) {
    return Pair<Part>{static_cast<Part>(x.real()), static_cast<Part>(x.imag())};
  };
  combine_as<Pair<Part>>(piece, pair(t.alpha), pair(t.beta), t.conjugate, reads, arrived, local);
}

}  // namespace

bool is_complex(ElementType type) {
  return type == ElementType::complex64 || type == ElementType::complex128;
}

bool transformable(ElementType type) {
  return type == ElementType::float32 || type == ElementType::float64 || is_complex(type);
}

Piece dense_in_memory_order(const Piece& piece) {
  Piece made = piece;
  made.base = 0;
  const auto order = memory_order(piece);
  std::int64_t stride = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    PieceDimension& dimension = made.dimensions[order[k]];
    dimension.set = dimension.places = first_elements(dimension.set->elements());
    dimension.stride = stride;
    stride *= dimension.set->elements();
  }
  made.part_bytes = made.elements * made.local_bytes;
  return made;
}

void combine(const Piece& piece, const Transform& transform, const void* arrived, void* local) {
  if (piece.elements == 0) return;
  const bool reads = transform.beta != 0.0;
  switch (piece.local) {
    case ElementType::float32:
      return combine_real<float>(piece, transform, reads, arrived, local);
    case ElementType::float64:
      return combine_real<double>(piece, transform, reads, arrived, local);
    case ElementType::complex64:
      return combine_complex<float>(piece, transform, reads, arrived, local);
    case ElementType::complex128:
      return combine_complex<double>(piece, transform, reads, arrived, local);
    default:
      return;
  }
}

}  // namespace lapwing::arrays
