// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/saving.hpp"

#include <algorithm>

namespace lapwing::transfer {
namespace {

// Strips and their headers take a part of the wire and of both processors.
constexpr std::uint64_t share_of_strips = 16;
// Closing and opening pages, and one stop.
constexpr std::uint64_t fixed_cost = 40'000;

}  // namespace

std::uint64_t saving(std::uint64_t waited, const Touches& touches, Arrival arrival) {
  if (touches.parts == 0) return 0;
  auto order = touches.after;
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(touches.parts);
  if (arrival == Arrival::as_used) std::partial_sort(order.begin(), end, end);
  if (arrival == Arrival::down) std::reverse(order.begin(), end);
  const std::uint64_t lasts = waited + waited / share_of_strips;
  std::uint64_t exposed = 0;
  for (std::size_t part = 0; part < touches.parts; ++part) {
    const std::uint64_t arrives = lasts * (part + 1) / touches.parts;
    if (arrives > order[part]) exposed = std::max(exposed, arrives - order[part]);
  }
  exposed += fixed_cost;
  return waited > exposed ? waited - exposed : 0;
}

}  // namespace lapwing::transfer
