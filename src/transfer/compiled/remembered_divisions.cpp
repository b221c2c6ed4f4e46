// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/remembered_divisions.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace lapwing::transfer {

// Of this process: a function may go on in another thread than the one in which it began.
static std::atomic<long long> last_name{0};

RememberedDivisions::Division* RememberedDivisions::named(long long name) {
  if (name == 0) return nullptr;
  for (Division& one : all_)
    if (one.name == name) return &one;
  return nullptr;
}

bool RememberedDivisions::recall(RoundsLeft& left, const long long* numbers, std::size_t count) {
  Division* const one = named(left.remembered);
  if (!one || !std::equal(numbers, numbers + count, one->numbers.begin(), one->numbers.end())) {
    if (one) *one = {};
    left.remembered = 0;
    return false;
  }
  one->used = ++uses_;
  left.end = one->end;
  put_aside(left, one->aside.data(), static_cast<long long>(one->aside.size()));
  return true;
}

void RememberedDivisions::remember(RoundsLeft& left, const long long* numbers, std::size_t count,
                                   const Addresses* lists, std::size_t list_count) {
  const auto is_older = [](const Division& a, const Division& b) { return a.used < b.used; };
  Division& one = *std::min_element(all_.begin(), all_.end(), is_older);
  one.name = left.remembered = last_name.fetch_add(1, std::memory_order_relaxed) + 1;
  one.used = ++uses_;
  one.end = left.end;
  one.numbers.assign(numbers, numbers + count);
  one.lists.assign(lists, lists + list_count);
  one.aside.assign(left.aside, left.aside + left.count);
}

void RememberedDivisions::written(RoundsLeft& left, std::uintptr_t first, std::uint64_t bytes) {
  Division* const one = named(left.remembered);
  if (!one || bytes == 0) return;
  const auto begin = static_cast<std::int64_t>(first);
  std::int64_t end = 0;
  const bool is_written =
      __builtin_add_overflow(begin, static_cast<std::int64_t>(bytes), &end) || end < begin ||
      std::any_of(one->lists.begin(), one->lists.end(),
                  [&](const Addresses& list) { return begin < list.end && list.begin < end; });
  if (!is_written) return;
  *one = {};
  left.remembered = 0;
}

}  // namespace lapwing::transfer
