// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/trial.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace lapwing::transfer {
namespace {

constexpr double clearly = 1.05;
constexpr double deviations = 4;
// The first iteration after a change may be slower for once, but not by so much.
constexpr double far = 1.5;
// Times that differ by so much are those of another problem, or beside another load.
constexpr double another = 1.3;
// A gain of so many times what there was to gain is another kind of iteration.
constexpr double incredible = 2;

double as_double(std::uint64_t number) { return static_cast<double>(number); }

template <std::size_t N>
std::uint64_t median_of(std::array<std::uint64_t, N> values, std::size_t count) {
  if (count == 0) return 0;
  std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  return values[count / 2];
}

}  // namespace

std::uint64_t RecentTimes::median() const { return median_of(times_, count()); }

std::uint64_t RecentTimes::clearly_slower() const {
  const std::uint64_t middle = median();
  auto off = times_;
  for (std::uint64_t& time : off) time = time > middle ? time - middle : middle - time;
  const double spread = deviations * as_double(median_of(off, count()));
  return static_cast<std::uint64_t>(std::max(clearly * as_double(middle), as_double(middle) + spread));
}

bool RecentTimes::alike() const {
  const double middle = as_double(median());
  std::size_t apart = 0;
  for (std::size_t i = 0; i < count(); ++i) {
    const double time = as_double(times_[i]);
    apart += time > another * middle || another * time < middle;
  }
  return apart <= 1;
}

void Trial::glance_again(std::uint64_t time) {
  ++count_;
  next_glance_ = 0;
  unsettled_ = true;
  glances_lost_ += std::max(0.0, as_double(time) - as_double(plain_.median()));
}

void Trial::glanced(double share, std::uint64_t time) {
  ++count_;
  unsettled_ = true;
  // The other way pays the same again.
  const double usual = as_double(plain_.median());
  if (usual > 0 && is_slow(time)) share -= as_double(time) / usual - 1;
  const double lost = std::exchange(glances_lost_, 0) + std::max(0.0, as_double(time) - usual);
  if (share >= least_share && ready()) {
    next_glance_ = 0;
    glances_ = first_glances;
    begin(share);
    return;
  }
  next_glance_ = meeting_after(std::max(glances_, repaid_in(lost)));
  glances_ = std::min(2 * glances_, longest_pause);
}

Trial::Way Trial::iteration(std::uint64_t nanoseconds) {
  ++since_;
  ++count_;
  switch (state_) {
    case State::watching:
    case State::refused:
      plain_iteration(nanoseconds);
      break;
    case State::trying:
      tried_iteration(nanoseconds);
      break;
    case State::kept:
      kept_iteration(nanoseconds);
      break;
    case State::doubted:
      doubted_iteration(nanoseconds);
      break;
  }
  return way();
}

void Trial::plain_iteration(std::uint64_t time) {
  if (unsettled_) {
    unsettled_ = false;
    return;
  }
  plain_.add(time);
  if (plain_.count() < plain_wanted) return;
  if (state_ == State::refused) {
    const double now = as_double(plain_.median()), then = as_double(reference_);
    // Decisions about other times say little about these.
    if (now > another * then || then > another * now) {
      pauses_ = first_pause;
      next_trial_ = std::min(next_trial_, meeting_after(first_pause / 4));
      reference_ = plain_.median();
    }
    if (count_ < next_trial_) return;
    enter(State::watching);
  }
  if (share_ >= least_share && ready()) begin(share_);
}

bool Trial::ready() const {
  return state_ == State::watching && plain_.count() >= plain_wanted && plain_.alike();
}

bool Trial::begin(double planned, bool agreed) {
  if ((state_ != State::watching && state_ != State::doubted) || plain_.count() < plain_wanted) return false;
  agreed_ = agreed;
  share_ = planned_ = planned;
  enter(State::trying);
  unsettled_ = true;
  other_.clear();
  lost_ = 0;
  gained_ = pardoned_ = false;
  return true;
}

void Trial::tried_iteration(std::uint64_t time) {
  const std::uint64_t usual = plain_.median(), bar = plain_.clearly_slower();
  lost_ += as_double(time) - as_double(usual);
  if (unsettled_) {
    unsettled_ = false;
    if (as_double(time) > far * as_double(bar)) refuse();
    return;
  }
  // One slow iteration may be the machine's, where the trial has gained more than it has lost, or has gained
  // at all.
  const bool is_far = as_double(time) > far * as_double(bar);
  const bool is_pardoned = gained_ && !pardoned_ && !is_far;
  if (time > bar && lost_ > 0) {
    if (!is_pardoned) return refuse();
    pardoned_ = true;
  }
  gained_ |= as_double(time) <= pays * as_double(usual);
  if (as_double(time) * incredible < as_double(usual) * (1 - planned_)) {
    refuse();
    return;
  }
  other_.add(time);
  if (other_.count() < other_wanted) return;
  if (as_double(other_.median()) > pays * as_double(usual)) {
    refuse();
    return;
  }
  reference_ = usual;
  in_vain_ = 0;
  pauses_ = first_pause;
  enter(State::kept);
}

void Trial::kept_iteration(std::uint64_t time) {
  if (unsettled_) {
    unsettled_ = false;
    return;
  }
  other_.add(time);
  const double usual = as_double(reference_);
  // A program that no longer computes beside its transfers may be as fast as before, and
  // faster the plain way.
  // Iterations that vary by more than that were so before the trial, too.
  in_vain_ = time > plain_.clearly_slower() || share_ < least_share ? in_vain_ + 1 : 0;
  if (in_vain_ > 1 || as_double(other_.median()) > usual) {
    doubt();
  } else if (since_ >= stay_) {
    stay_ = std::min(2 * stay_, longest_stay);
    doubt();
  }
}

void Trial::doubt() {
  paid_long_ = since_ >= first_pause;
  lost_ = 0;
  plain_.clear();
  unsettled_ = true;
  // With other ranks each trial is agreed on anew. Where nothing is left to hide, none follows at once.
  if (!agreed_ && share_ >= least_share)
    enter(State::doubted);
  else if (paid_long_)
    enter(State::watching);
  else
    refuse();
}

void Trial::doubted_iteration(std::uint64_t time) {
  if (unsettled_) {
    unsettled_ = false;
    return;
  }
  plain_.add(time);
  if (plain_.count() < plain_wanted) return;
  const bool pays_still = as_double(other_.median()) <= pays * as_double(plain_.median());
  if (permitted_ && (paid_long_ || pays_still))
    begin(planned_);
  else
    refuse();
}

std::uint64_t Trial::meeting_after(std::uint64_t pause) const {
  const std::uint64_t grid = 2 * std::bit_ceil(pause);
  return (count_ + pause / 2 + grid - 1) / grid * grid;
}

std::uint64_t Trial::repaid_in(double lost) const {
  const double usual = as_double(plain_.median());
  return usual > 0
             ? static_cast<std::uint64_t>(std::clamp(lost / (price * usual), 0.0, as_double(longest_pause)))
             : 0;
}

void Trial::refuse() {
  reference_ = plain_.median();
  next_trial_ = meeting_after(std::max(pauses_, repaid_in(lost_)));
  pauses_ = std::min(2 * pauses_, longest_pause);
  stay_ = first_stay;
  enter(State::refused);
  unsettled_ = true;
}

void Trial::release() {
  if (way() == Way::plain) return;
  plain_.clear();
  unsettled_ = true;
  enter(State::watching);
}

void Trial::enter(State state) {
  state_ = state;
  since_ = 0;
}

}  // namespace lapwing::transfer
