// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/access_trial.hpp"

#include <algorithm>

namespace lapwing::transfer {
namespace {

// Of the plain exposure: what deferred gets may cost and still pay, and where a trial ends at once.
constexpr double clear_gain = 0.8, clear_loss = 1.5;
// Of the plain time from one get to the next.
constexpr double clearly_shorter = 0.95;

}  // namespace

void AccessTrial::watch() {
  state_ = State::watching;
  plain_ = {};
}

void AccessTrial::rest() {
  state_ = State::resting;
  left_ = rest_;
  rest_ = std::min(2 * rest_, longest_rest);
}

void AccessTrial::add_period(std::uint64_t now) {
  if (last_counts_) {
    last_counts_->between += now - last_;
    ++last_counts_->periods;
  }
  last_ = now;
}

bool AccessTrial::shortens_period() const {
  return plain_.periods > 0 && deferred_.periods > 0 &&
         deferred_.period() <= clearly_shorter * plain_.period() &&
         deferred_.exposed_per_byte() <= plain_.exposed_per_byte();
}

bool AccessTrial::defers(std::uint64_t now) {
  add_period(now);
  if (state_ == State::resting || state_ == State::deferring) {
    if (left_ == 0)
      watch();
    else
      --left_;
  }
  last_counts_ = state_ == State::watching ? &plain_ : state_ == State::trying ? &deferred_ : nullptr;
  return state_ == State::trying || state_ == State::deferring;
}

void AccessTrial::went_plainly(std::size_t bytes, std::uint64_t exposed) {
  if (state_ != State::watching) return;
  plain_.add(bytes, exposed);
  if (plain_.gets < sample) return;
  if (plain_.exposed < sample * least_wait) return rest();
  state_ = State::trying;
  deferred_ = {};
}

void AccessTrial::was_deferred(std::size_t bytes, std::uint64_t exposed) {
  if (state_ != State::trying) return;
  deferred_.add(bytes, exposed);
  const double cost = deferred_.exposed_per_byte() / plain_.exposed_per_byte();
  if (cost > clear_loss) return rest();
  if (deferred_.gets < sample) return;
  if (cost > clear_gain && !shortens_period()) return rest();
  state_ = State::deferring;
  left_ = longest_stretch;
  rest_ = first_rest;
}

}  // namespace lapwing::transfer
