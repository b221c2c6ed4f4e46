// SPDX-License-Identifier: Apache-2.0
// Parts of values as bytes: pieces of one width, a stride apart. Two accesses are in each other's
// way only where their extents have a byte in common.
#pragma once

#include <lapwing/tasks/abi.hpp>

#include <string>
#include <vector>

namespace lapwing::tasks {

using detail::Extent;

/// One piece has no stride, and pieces without gaps are one.
Extent normal(Extent extent);
/// Behind its last byte.
std::uint64_t end_of(const Extent& extent);
/// A byte is in both. Exact, but for two extents of many pieces with different strides, of which
/// the ranges from first to last byte are compared.
bool overlap(const Extent& a, const Extent& b);
/// Every byte of the extent is in one of the others.
bool covered(const Extent& extent, const std::vector<const Extent*>& by);
/// "bytes 8 to 16", "1 of every 4 bytes from 0 to 400".
std::string text_of(const Extent& extent);

}  // namespace lapwing::tasks
