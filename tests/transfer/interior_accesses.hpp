// SPDX-License-Identifier: Apache-2.0
// Accesses of loops that are divided, and the bytes that they touch.
#pragma once

#include <set>
#include <vector>

#include "transfer/compiled/interior_range.hpp"

namespace lapwing::transfer {

inline constexpr std::uintptr_t base = 100'000;

inline AffineAccess row(std::int64_t first, std::uint64_t bytes, bool writes, std::int64_t by) {
  return {base + static_cast<std::uintptr_t>(first), bytes, writes, by, {}};
}

inline Box box_found(const std::vector<std::uint64_t>& rounds, const std::vector<AffineAccess>& accesses,
                     const std::vector<AffineAccess>& kept) {
  InteriorRange range;
  range.begin(rounds[0] - 1);
  for (std::size_t loop = 1; loop < rounds.size(); ++loop) range.inside(rounds[loop] - 1);
  for (const AffineAccess& a : accesses) range.access(a);
  for (const AffineAccess& a : kept) range.keep(a);
  return range.find();
}

// The bytes that an access touches in one round.
inline std::set<std::uintptr_t> bytes_of(const AffineAccess& a, std::int64_t round) {
  std::set<std::uintptr_t> bytes;
  for (std::uint64_t i = 0; i <= a.steps[0].back_edges; ++i) {
    for (std::uint64_t j = 0; j <= a.steps[1].back_edges; ++j) {
      const std::int64_t at = a.by * round + a.steps[0].by * static_cast<std::int64_t>(i) +
                              a.steps[1].by * static_cast<std::int64_t>(j);
      for (std::uint64_t b = 0; b < a.bytes; ++b) bytes.insert(a.first + static_cast<std::uintptr_t>(at) + b);
    }
  }
  return bytes;
}

inline bool meet(const std::set<std::uintptr_t>& a, const std::set<std::uintptr_t>& b) {
  for (const std::uintptr_t one : a)
    if (b.contains(one)) return true;
  return false;
}

}  // namespace lapwing::transfer
