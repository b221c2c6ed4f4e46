// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/set_builder.hpp"

#include <utility>

#include "arrays/schedules/folder.hpp"

namespace lapwing::arrays {

void SetBuilder::add(const std::uint32_t* indices, const std::uint32_t* places, std::size_t count) {
  const std::size_t before = places_.size();
  for (std::size_t k = (Falls::mark_every - before % Falls::mark_every) % Falls::mark_every; k < count;
       k += Falls::mark_every)
    marks_.push_back(indices[k]);
  places_.insert(places_.end(), places, places + count);
  if (listed_) return;
  indices_.insert(indices_.end(), indices, indices + count);
  if (!looked_ && places_.size() > window) look();
  if (looked_) check();
}

// Periods begin with a run, so that none is cut in two.
void SetBuilder::look() {
  looked_ = true;
  const auto further = [](const std::vector<std::uint32_t>& of, std::size_t k) {
    return static_cast<std::int64_t>(of[k]) - of[k - 1];
  };
  head_ = 1;
  while (head_ < window / 4 && further(indices_, head_) == 1 && further(places_, head_) == step_) ++head_;
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;
  for (std::size_t k = head_ + 1; k < window; ++k)
    steps.emplace_back(further(indices_, k), further(places_, k));
  // The prefix function of Knuth, Morris and Pratt.
  std::vector<std::size_t> border(steps.size(), 0);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    std::size_t k = border[i - 1];
    while (k > 0 && steps[i] != steps[k]) k = border[k - 1];
    border[i] = steps[i] == steps[k] ? k + 1 : 0;
  }
  period_ = steps.size() - border.back();
  checked_ = head_ + period_;
  if (2 * period_ <= steps.size()) {
    indices_.reserve(places_.capacity());
    return;
  }
  listed_ = true;
  indices_ = {};
}

/// Each element lies as far behind the one a period before as the first of the second period does.
void SetBuilder::check() {
  if (listed_) return;
  const auto goes_on = [&](const std::vector<std::uint32_t>& of) {
    const std::uint32_t further = of[head_ + period_] - of[head_];
    std::uint32_t other = 0;
    for (std::size_t k = checked_; k < of.size(); ++k) other |= (of[k] - of[k - period_]) ^ further;
    return other == 0;
  };
  if (goes_on(indices_) && goes_on(places_)) {
    checked_ = places_.size();
    return;
  }
  listed_ = true;
  indices_ = {};
}

std::vector<Segments> SetBuilder::families(std::size_t from, std::size_t to) const {
  Folder folder(step_);
  for (std::size_t k = from; k < to; ++k) folder.add(indices_[k], 1, places_[k]);
  return folder.take();
}

IndexSet SetBuilder::periodic() const {
  const std::size_t times = (places_.size() - head_) / period_, rest = head_ + times * period_;
  const auto member = [&](std::size_t from, std::size_t to) -> Falls {
    return {0, 0, 1, 0, 0, 0, 0, families(from, to)};
  };
  std::vector<Falls> members{member(0, head_), member(head_, head_ + period_)};
  Falls& body = members.back();
  const auto count = static_cast<std::int64_t>(times);
  const std::int64_t stride = static_cast<std::int64_t>(indices_[head_ + period_]) - indices_[head_];
  const std::int64_t local_stride = static_cast<std::int64_t>(places_[head_ + period_]) - places_[head_];
  if (period_ == 1 && stride == 1 && local_stride == step_) {
    body.inner[0].length = count;
  } else if (period_ == 1) {
    body.inner[0].stride = stride;
    body.inner[0].local_stride = local_stride;
    body.inner[0].count = count;
  } else {
    body.count = count;
    body.stride = stride;
    body.local_stride = local_stride;
  }
  if (rest < places_.size()) members.push_back(member(rest, places_.size()));
  return {std::move(members), step_};
}

IndexSet SetBuilder::take() {
  if (!listed_ && looked_) return periodic();
  if (!listed_) return periodic_set(families(0, places_.size()), step_);
  Falls falls;
  falls.marks = std::move(marks_);
  const auto goes_on = [&](std::size_t k) {
    return static_cast<std::int64_t>(places_[k]) - places_[k - 1] == step_;
  };
  std::size_t runs = 1;
  for (std::size_t k = 1; k < places_.size(); ++k) runs += goes_on(k) ? 0 : 1;
  if (places_.size() <= long_run * runs) {
    falls.listed = std::move(places_);
  } else {
    for (std::size_t k = 0; k < places_.size();) {
      const std::size_t first = k++;
      while (k < places_.size() && goes_on(k)) ++k;
      append_segment(falls.inner, {0, static_cast<std::int64_t>(k - first), 0, 1, places_[first], 0, 0});
    }
  }
  std::vector<Falls> members;
  members.push_back(std::move(falls));
  return {std::move(members), step_};
}

}  // namespace lapwing::arrays
