// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/section.hpp"

#include <fmt/format.h>

namespace lapwing::arrays {

Section filled(const Section& section, const Distribution& distribution) {
  Section result = section;
  if (result.dimensions.empty()) {
    for (const Dimension& dimension : distribution.dimensions)
      result.dimensions.push_back({0, dimension.extent, 1});
  }
  return result;
}

std::string validate(const Section& section, const Distribution& distribution) {
  if (section.dimensions.empty()) return {};
  if (section.dimensions.size() != distribution.dimensions.size()) {
    return fmt::format("the section has {} dimensions, the array {}", section.dimensions.size(),
                       distribution.dimensions.size());
  }
  for (std::size_t d = 0; d < section.dimensions.size(); ++d) {
    const SectionDimension& part = section.dimensions[d];
    const std::int64_t extent = distribution.dimensions[d].extent;
    if (part.count < 0) return fmt::format("the section has {} elements in dimension {}", part.count, d);
    if (part.stride == 0) return fmt::format("the section's stride in dimension {} is 0", d);
    if (part.count == 0) continue;
    const __int128 last = part.first + static_cast<__int128>(part.count - 1) * part.stride;
    if (part.first < 0 || part.first >= extent || last < 0 || last >= extent) {
      return fmt::format(
          "the section takes {} elements from {} with stride {} in dimension {}, whose extent is {}",
          part.count, part.first, part.stride, d, extent);
    }
  }
  return {};
}

std::string mismatch(const Distribution& source, const Section& from, const Distribution& destination,
                     const Section& to) {
  if (!convertible(source.type, destination.type)) {
    return fmt::format("elements of type {} cannot be received as {}", name_of(source.type),
                       name_of(destination.type));
  }
  if (source.type == ElementType::opaque && source.opaque_bytes != destination.opaque_bytes) {
    return fmt::format("opaque elements of {} bytes cannot be received as {} bytes", source.opaque_bytes,
                       destination.opaque_bytes);
  }
  const Section a = filled(from, source), b = filled(to, destination);
  const std::size_t mine = a.dimensions.size(), theirs = b.dimensions.size();
  std::vector<int> taken(mine, -1);
  if (b.permutation.empty()) {
    if (mine != theirs)
      return fmt::format("the sender's array has {} dimensions, the receiver's {}", mine, theirs);
  } else if (b.permutation.size() != theirs) {
    return fmt::format("the permutation names {} dimensions, but the receiver's array has {}",
                       b.permutation.size(), theirs);
  }
  for (std::size_t d = 0; d < theirs; ++d) {
    const int s = b.permutation.empty() ? static_cast<int>(d) : b.permutation[d];
    if (s < -1 || s >= static_cast<int>(mine)) {
      return fmt::format(
          "the permutation gives the receiver's dimension {} the sender's dimension {}, which has {}", d, s,
          mine);
    }
    const std::int64_t here = b.dimensions[d].count;
    if (s < 0) {
      if (here != 1)
        return fmt::format("the receiver's dimension {} takes none of the sender's, but has {} elements", d,
                           here);
      continue;
    }
    int& other = taken[static_cast<std::size_t>(s)];
    if (other >= 0)
      return fmt::format("the receiver's dimensions {} and {} both take the sender's dimension {}", other, d,
                         s);
    other = static_cast<int>(d);
    const std::int64_t there = a.dimensions[static_cast<std::size_t>(s)].count;
    if (here != there) {
      return fmt::format("the sender has {} elements in dimension {}, the receiver {} in dimension {}", there,
                         s, here, d);
    }
  }
  for (std::size_t s = 0; s < mine; ++s) {
    if (taken[s] < 0 && a.dimensions[s].count != 1) {
      return fmt::format("the sender's dimension {} has {} elements, but the receiver takes none of it", s,
                         a.dimensions[s].count);
    }
  }
  return {};
}

}  // namespace lapwing::arrays
