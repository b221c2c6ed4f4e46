// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/given_buffers.hpp"

#include <algorithm>
#include <cassert>

namespace lapwing::transfer {

void GivenBuffers::add(std::uintptr_t first, std::uint64_t bytes) {
  if (bytes == 0) return;
  largest_ = std::max(largest_, bytes);
  Addresses added{static_cast<std::int64_t>(first), static_cast<std::int64_t>(first + bytes)};
  Addresses* const all = ranges_.data();
  Addresses* end = all + count_;
  Addresses* from = std::find_if(all, end, [&](const Addresses& one) { return one.end >= added.begin; });
  Addresses* to = from;
  for (; to != end && to->begin <= added.end; ++to)
    added = {std::min(added.begin, to->begin), std::max(added.end, to->end)};
  if (to != from) {
    *from = added;
    end = std::copy(to, end, from + 1);
  } else if (count_ < ranges_.size()) {
    std::copy_backward(from, end, end + 1);
    *from = added;
    ++end;
  } else {
    const auto gap = [&](const Addresses* one) { return one[1].begin - one->end; };
    Addresses* closest = all;
    for (Addresses* one = all; one + 1 != end; ++one)
      if (gap(one) < gap(closest)) closest = one;
    const bool joins_left = from != all && added.begin - from[-1].end <= gap(closest);
    const bool joins_right = from != end && from->begin - added.end <= gap(closest);
    if (joins_left && (!joins_right || added.begin - from[-1].end <= from->begin - added.end)) {
      from[-1].end = added.end;
    } else if (joins_right) {
      from->begin = added.begin;
    } else {
      closest->end = closest[1].end;
      end = std::copy(closest + 2, end, closest + 1);
      count_ = static_cast<std::uint64_t>(end - all);
      return add(first, bytes);
    }
  }
  count_ = static_cast<std::uint64_t>(end - all);
  assert(count_ <= ranges_.size());
}

}  // namespace lapwing::transfer
