// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/trial.hpp"

#include <algorithm>

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

void Trial::glanced(double share, std::uint64_t time) {
  since_glance_ = 0;
  unsettled_ = true;
  // The other way pays the same again.
  const double usual = as_double(plain_.median());
  if (usual > 0 && time > plain_.clearly_slower()) share -= as_double(time) / usual - 1;
  if (share >= least_share && ready()) {
    next_glance_ = 0;
    glances_ = first_glances;
    begin(share);
    return;
  }
  next_glance_ = glances_;
  glances_ = std::min(2 * glances_, longest_pause);
}

Trial::Way Trial::iteration(std::uint64_t nanoseconds) {
  ++since_;
  ++since_glance_;
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
      pause_ = pauses_ = first_pause;
      reference_ = plain_.median();
    }
    if (since_ < pause_) return;
    enter(State::watching);
  }
  if (share_ >= least_share && ready()) begin(share_);
}

bool Trial::ready() const {
  return state_ == State::watching && plain_.count() >= plain_wanted && plain_.alike();
}

bool Trial::begin(double planned) {
  if (state_ != State::watching || plain_.count() < plain_wanted) return false;
  share_ = planned_ = planned;
  enter(State::trying);
  unsettled_ = true;
  other_.clear();
  lost_ = 0;
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
  // One slow iteration may be the machine's, while the trial has gained more than it has lost.
  if ((time > bar && lost_ > 0) || as_double(time) * incredible < as_double(usual) * (1 - planned_)) {
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
    lost_ = 0;
    plain_.clear();  // the times may have changed, and not by the way
    // Then a few plain iterations show it, and one that has paid for a while is tried again.
    if (since_ < first_pause)
      refuse();
    else
      enter(State::watching);
  } else if (since_ >= stay_) {
    stay_ = std::min(2 * stay_, longest_stay);
    plain_.clear();
    enter(State::watching);
  } else {
    return;
  }
  unsettled_ = true;
}

void Trial::refuse() {
  const double usual = as_double(plain_.median());
  reference_ = plain_.median();
  const double repaid = usual > 0 ? lost_ / (price * usual) : 0;
  pause_ = std::max(pauses_, static_cast<std::uint64_t>(std::clamp(repaid, 0.0, as_double(longest_pause))));
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
