// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/rounds_left.hpp"

#include <algorithm>
#include <utility>

namespace lapwing::transfer {
namespace {

void make_room(RoundsLeft& left, long long more) noexcept {
  if (left.count + more <= left.capacity) return;
  left.capacity = std::max({16LL, 2 * left.capacity, left.count + more});
  auto* list = new Rounds[static_cast<std::size_t>(left.capacity)];
  std::copy(left.aside, left.aside + left.count, list);
  delete[] std::exchange(left.aside, list);
}

}  // namespace

void put_aside(RoundsLeft& left, long long round) noexcept {
  if (left.count > 0 && left.aside[left.count - 1].end == round) {
    ++left.aside[left.count - 1].end;
    return;
  }
  make_room(left, 1);
  left.aside[left.count++] = {round, round + 1};
}

void put_aside(RoundsLeft& left, const Rounds* runs, long long count) noexcept {
  make_room(left, count);
  std::copy(runs, runs + count, left.aside + left.count);
  left.count += count;
}

Rounds next_looked_run(RoundsLeft& left, long long most) noexcept {
  const long long from = std::max(left.next, left.begin), to = std::min(left.end, from + most);
  if (from >= to) return stop(left, from), Rounds{};
  left.next = to;
  return {from, to};
}

Rounds next_early_run(RoundsLeft& left) noexcept {
  left.next = std::max(left.next, left.begin);
  while (left.next < left.end) {
    const bool is_last = left.at == left.count;
    const Rounds run{left.next, is_last ? left.end : left.aside[left.at].begin};
    left.next = is_last ? left.end : left.aside[left.at++].end;
    if (!run.empty()) return run;
  }
  left.next = left.at = 0;
  return {};
}

Rounds next_run(RoundsLeft& left) noexcept {
  if (left.next < left.begin) return {std::exchange(left.next, left.begin), left.begin};
  if (left.at < left.count) {
    const Rounds run = left.aside[left.at++];
    left.next = run.end;
    return run;
  }
  delete[] std::exchange(left.aside, nullptr);
  left.count = left.capacity = left.at = 0;
  const long long begin = std::max(left.next, left.end);
  left.next = left.rounds;
  return {begin, left.rounds};
}

}  // namespace lapwing::transfer
