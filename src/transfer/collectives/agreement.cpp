// SPDX-License-Identifier: Apache-2.0
#include "transfer/collectives/agreement.hpp"

#include <algorithm>
#include <cmath>

namespace lapwing::transfer {
namespace {

constexpr double least_share = 0.015;  // of an iteration, on average: less would not show
constexpr double pays = 0.98;          // it has to pay, not merely to break even
// The first iteration after a change may be slower for once, but not by so much.
constexpr double clearly_slower = 1.06, far_slower = 1.25;

}  // namespace

void Agreement::decide(const Vote& sums, int members) {
  ++votes_;
  const double all = members;
  if (sums[Vote::cannot] > 0) {
    if (defers()) return refuse();
    return watch_on(4);
  }
  switch (state_) {
    case State::refused:
      enter(State::watching);
      [[fallthrough]];
    case State::watching: {
      const double period = sums[Vote::period] / all;
      // Whole numbers, so that this is exact.
      const bool same =
          period >= 1 && all * sums[Vote::period_squared] == sums[Vote::period] * sums[Vote::period];
      if (sums[Vote::unready] > 0 || !same || sums[Vote::share] / all < least_share) return watch_on(1.4);
      period_ = static_cast<std::uint64_t>(std::lround(period));
      tried_ = 0;
      enter(State::trying);
      next_vote_ = calls_ + period_;
      break;
    }
    case State::trying:
      tried(sums[Vote::ratio] / all);
      break;
    case State::kept: {
      const double ratio = sums[Vote::ratio] / all;
      in_vain_ = ratio > 1 ? in_vain_ + 1 : 0;
      if (in_vain_ > 1) return refuse();
      if (since() >= stay * period_) {
        enter(State::watching);
        next_vote_ = calls_ + (iterations_wanted + 1) * period_;
        return;
      }
      next_vote_ = calls_ - 1 + between_votes * period_;
      break;
    }
  }
}

void Agreement::tried(double ratio) {
  // Votes of a trial stand at the calls at which its iterations end.
  next_vote_ = calls_ - 1 + period_;
  if (votes_ == 1) {
    if (ratio > far_slower) refuse();
    return;
  }
  if (ratio > clearly_slower) return refuse();
  ratios_[tried_++] = ratio;
  if (tried_ < ratios_.size()) return;
  std::sort(ratios_.begin(), ratios_.end());
  if (ratios_[ratios_.size() / 2] > pays) return refuse();
  pause_ = first_pause;
  in_vain_ = 0;
  enter(State::kept);
  next_vote_ = calls_ - 1 + between_votes * period_;
}

void Agreement::refuse() {
  enter(State::refused);
  next_vote_ = calls_ + pause_ * period_;
  pause_ = std::min(2 * pause_, longest_pause);
}

void Agreement::enter(State state) {
  state_ = state;
  changed_ = calls_;
  votes_ = 0;
}

void Agreement::watch_on(double factor) {
  next_vote_ = std::max(calls_ + 1, static_cast<std::uint64_t>(static_cast<double>(calls_) * factor));
}

}  // namespace lapwing::transfer
