// SPDX-License-Identifier: Apache-2.0
// A strided part of an array, and how two parts of two arrays correspond.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays/schedules/distribution.hpp"

namespace lapwing::arrays {

/// Elements first, first + stride, ...; the stride may be negative, not 0.
struct SectionDimension {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t stride = 1;

  bool operator==(const SectionDimension&) const = default;
};

struct Section {
  std::vector<SectionDimension> dimensions;  ///< empty: the whole array
  /// Read at the receiver only: its dimension d takes the sender's dimension
  /// permutation[d], so {1, 0} transposes. Empty: the same order. -1: none,
  /// the section has one element there; the same holds for dimensions of the
  /// sender that are not named, so sections may differ in rank.
  std::vector<int> permutation;

  bool operator==(const Section&) const = default;
};

/// The section with its dimensions filled in where they were left out.
Section filled(const Section& section, const Distribution& distribution);

/// Why this is not a section of that array; empty where it is.
std::string validate(const Section& section, const Distribution& distribution);

/// Why the one section cannot be received as the other: shapes, element types,
/// permutation. Names the dimension and both values. Both must be valid.
std::string mismatch(const Distribution& source, const Section& from, const Distribution& destination,
                     const Section& to);

std::vector<std::byte> encode(const Section& section);
struct DecodedSection {
  std::optional<Section> section;
  std::string problem;
};
DecodedSection decode_section(std::span<const std::byte> bytes);

}  // namespace lapwing::arrays
