// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/split_judge.hpp"

#include <algorithm>

namespace lapwing::transfer {

bool SplitJudge::begins(std::uint64_t key, std::uint64_t now) {
  ++begun_;
  const auto iteration = clock_.arrive(key, now);
  if (!clock_.locked()) {
    whole_ = false;
    if (!loop_) return splits_ = false;
    loop_->trial.interrupted();
    if (!clock_.may_come_back()) loop_ = nullptr;
    // A loop that is left for a moment keeps its way, if that is known to pay.
    return splits_ = loop_ && loop_->trial.state() == Trial::State::kept;
  }
  if (!iteration) return splits_;
  Loop& now_in = loop_named(clock_.loop());
  if (&now_in != loop_) whole_ = false;
  loop_ = &now_in;
  if (whole_) {
    ++iterations_;
    iteration_ns_ = *iteration;
    const double share = static_cast<double>(std::min(hideable_, *iteration)) /
                         static_cast<double>(std::max<std::uint64_t>(*iteration, 1));
    if (!splits_) loop_->trial.predict(permitted_ ? share + share_of_others_ : 0);
    loop_->trial.iteration(*iteration);
  }
  whole_ = true;
  hideable_ = 0;
  return splits_ = loop_->trial.way() == Trial::Way::other;
}

void SplitJudge::went_plainly(std::uint64_t waited, std::uint64_t computed) {
  hideable_ += std::min(waited, computed);
}

SplitJudge::Loop& SplitJudge::loop_named(std::uint64_t name) {
  Loop* oldest = &loops_.front();
  for (Loop& loop : loops_) {
    if (loop.name == name) {
      loop.seen = begun_;
      return loop;
    }
    if (loop.seen < oldest->seen) oldest = &loop;
  }
  *oldest = Loop{};
  oldest->name = name;
  oldest->seen = begun_;
  return *oldest;
}

}  // namespace lapwing::transfer
