// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/folder.hpp"

#include <algorithm>

namespace lapwing::arrays {

void Folder::add(std::int64_t first, std::int64_t length, std::int64_t local) {
  if (open_.length > 0 && open_.first + open_.length == first &&
      open_.local + open_.length * step_ == local) {
    open_.length += length;
    return;
  }
  flush();
  open_ = {first, length, 0, 1, local, 0, 0};
}

void Folder::add(const Segments& family) {
  if (family.count == 1) return add(family.first, family.length, family.local);
  flush();
  if (!families_.empty() && families_.back().length == family.length) {
    Segments& last = families_.back();
    const std::int64_t end = last.first + (last.count - 1) * last.stride;
    const std::int64_t place = last.local + (last.count - 1) * last.local_stride;
    const bool alike =
        last.count == 1 || (last.stride == family.stride && last.local_stride == family.local_stride);
    if (alike && family.first - end == family.stride && family.local - place == family.local_stride) {
      last.stride = family.stride;
      last.local_stride = family.local_stride;
      last.count += family.count;
      return;
    }
  }
  families_.push_back(family);
}

void Folder::flush() {
  if (open_.length == 0) return;
  const Segments next = open_;
  open_.length = 0;
  append_segment(families_, next);
}

std::vector<Segments> Folder::take() {
  flush();
  return std::move(families_);
}

std::vector<Segments> clipped(const std::vector<Segments>& families, std::int64_t low, std::int64_t high,
                              std::int64_t step) {
  Folder result(step);
  for (const Segments& family : families) {
    const std::int64_t length = family.length, stride = std::max<std::int64_t>(1, family.stride);
    const std::int64_t end = family.first + (family.count - 1) * family.stride + length;
    if (end <= low || family.first >= high) continue;
    if (family.first >= low && end <= high) {
      result.add(family);
      continue;
    }
    const auto cut = [&](std::int64_t k) {
      const std::int64_t at = family.first + k * family.stride;
      const std::int64_t from = std::max(at, low), to = std::min(at + length, high);
      if (from < to) result.add(from, to - from, family.local + k * family.local_stride + (from - at) * step);
    };
    // Segments [begin, stop) lie inside; one may stand across each bound.
    std::int64_t begin = family.first >= low ? 0 : (low - family.first + stride - 1) / stride;
    begin = std::min(begin, family.count);
    std::int64_t stop = high - length < family.first ? 0 : (high - length - family.first) / stride + 1;
    stop = std::min(stop, family.count);
    if (begin > 0) cut(begin - 1);
    if (begin < stop) {
      Segments inside = family;
      inside.first += begin * family.stride;
      inside.local += begin * family.local_stride;
      inside.count = stop - begin;
      result.add(inside);
    }
    const std::int64_t rest = std::max(begin, stop);
    if (rest < family.count) cut(rest);
  }
  return result.take();
}

namespace {

/// One family, and how far it is from the one before.
struct Token {
  std::int64_t length, count, stride, local_stride, index, local;
  bool operator==(const Token&) const = default;
};

/// The smallest period of a list: Knuth, Morris and Pratt's prefix function.
std::size_t smallest_period(const std::vector<Token>& tokens) {
  std::vector<std::size_t> border(tokens.size(), 0);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    std::size_t k = border[i - 1];
    while (k > 0 && !(tokens[i] == tokens[k])) k = border[k - 1];
    border[i] = tokens[i] == tokens[k] ? k + 1 : 0;
  }
  return tokens.size() - border.back();
}

/// The list as one period and how often it comes; nothing where it comes less than twice.
std::vector<Falls> by_period(const std::vector<Segments>& all, std::int64_t step) {
  // The first and the last one may be cut, and the second one follows a cut one.
  constexpr std::size_t head = 2;
  std::vector<Token> tokens;
  tokens.reserve(all.size());
  for (std::size_t k = head; k + 1 < all.size(); ++k)
    tokens.push_back({all[k].length, all[k].count, all[k].stride, all[k].local_stride,
                      all[k].first - all[k - 1].first, all[k].local - all[k - 1].local});
  if (tokens.empty()) return {};
  const std::size_t period = smallest_period(tokens), times = tokens.size() / period;
  if (times < 2) return {};
  const auto member = [&](std::size_t from, std::size_t to) -> Falls {
    Folder folder(step);
    for (std::size_t k = from; k < to; ++k) folder.add(all[k]);
    return {0, 0, 1, 0, 0, 0, 0, folder.take()};
  };
  std::vector<Falls> members{member(0, head), member(head, head + period)};
  Falls& body = members.back();
  body.count = static_cast<std::int64_t>(times);
  body.stride = all[head + period].first - all[head].first;
  body.local_stride = all[head + period].local - all[head].local;
  const std::size_t rest = head + times * period;
  if (rest < all.size()) members.push_back(member(rest, all.size()));
  return members;
}

}  // namespace

IndexSet periodic_set(std::vector<Segments> families, std::int64_t step) {
  constexpr std::size_t few = 8;  // are as good as one period
  std::vector<Falls> members;
  if (families.size() > few) members = by_period(families, step);
  if (families.size() > few && members.empty()) {
    // Families may have been begun at any segment of a period; then segments tell it. Where families have
    // many segments each, these do not.
    std::int64_t segments = 0;
    for (const Segments& family : families) segments += family.count;
    constexpr std::int64_t in_each = 4;
    if (segments <= in_each * static_cast<std::int64_t>(families.size())) {
      std::vector<Segments> all;
      all.reserve(static_cast<std::size_t>(segments));
      each_segment(families, [&](std::int64_t first, std::int64_t length, std::int64_t local) {
        all.push_back({first, length, 0, 1, local, 0, 0});
      });
      members = by_period(all, step);
    }
  }
  if (members.empty()) members.push_back({0, 0, 1, 0, 0, 0, 0, std::move(families)});
  return {std::move(members), step};
}

}  // namespace lapwing::arrays
