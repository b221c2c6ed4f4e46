// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/rounds_left.hpp"

#include <algorithm>
#include <utility>

namespace lapwing::transfer {

void put_aside(RoundsLeft& left, long long round) noexcept {
  if (left.count == left.capacity) {
    const long long more = std::max(256LL, 2 * left.capacity);
    auto* list = new long long[static_cast<std::size_t>(more)];
    std::copy(left.aside, left.aside + left.count, list);
    delete[] std::exchange(left.aside, list);
    left.capacity = more;
  }
  left.aside[left.count++] = round;
}

Rounds next_run(RoundsLeft& left) noexcept {
  if (left.next < left.begin) return {std::exchange(left.next, left.begin), left.begin};
  const long long* const last = left.aside + left.count;
  const long long* one = std::lower_bound<const long long*>(left.aside, last, left.next);
  if (one != last) {
    const long long begin = left.next = *one;
    for (; one != last && *one == left.next; ++one) ++left.next;
    return {begin, left.next};
  }
  delete[] std::exchange(left.aside, nullptr);
  left.count = left.capacity = 0;
  const long long begin = std::max(left.next, left.end);
  left.next = left.rounds;
  return {begin, left.rounds};
}

}  // namespace lapwing::transfer
