// SPDX-License-Identifier: Apache-2.0
// The adaptive broadcast of one object (Rinard, section 3.4.2): when all ranks
// have accessed one version, the following ones are sent to all at once. Two
// things that the tables of Jade 5.3 ask for: never on one rank, and given up when
// versions that were sent go unused.
#pragma once

#include <algorithm>

#include "tasks/ranks/rank_set.hpp"

namespace lapwing::tasks::ranks {

class Broadcast {
 public:
  /// A rank accesses the present version.
  void accessed(int rank, int ranks) {
    used_.add(rank);
    if (ranks > 1 && !given_up_for_ && used_.size() == ranks) on_ = true;
  }
  /// A new version is there; true if all ranks are to have it now.
  bool new_version(int ranks) {
    if (given_up_for_ > 0) --given_up_for_;
    if (sent_) {
      // Worth its messages if at least half of those sent were used.
      wasted_ = 2 * (used_.size() - 1) < ranks - 1 ? wasted_ + 1 : 0;
      if (wasted_ == most_wasted) {
        on_ = false;
        wasted_ = 0;
        given_up_for_ = patience_;
        patience_ = std::min(patience_ * 2, 1 << 20);  // what fails again is tried less and less
      }
    }
    used_.clear();
    sent_ = false;
    return on_;
  }
  /// The present version has been sent to all.
  void sent() { sent_ = true; }
  bool on() const { return on_; }

 private:
  static constexpr int most_wasted = 2;
  RankSet used_;
  bool on_ = false;
  bool sent_ = false;
  int wasted_ = 0;  // versions in a row
  int given_up_for_ = 0;
  int patience_ = 8;
};

}  // namespace lapwing::tasks::ranks
