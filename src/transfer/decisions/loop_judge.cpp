// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/loop_judge.hpp"

#include <algorithm>
#include <numeric>

namespace lapwing::transfer {

bool LoopJudge::begins(std::uint64_t key, std::uint64_t now) {
  ++begun_;
  ++arrived_;
  const auto iteration = clock_.arrive(key, now);
  if (!clock_.locked()) {
    whole_ = glances_ = false;
    if (!loop_) return overlaps_ = false;
    loop_->trial.interrupted();
    if (!clock_.may_come_back()) loop_ = nullptr;
    // A loop that is left for a moment keeps its way, if that is known to pay.
    return overlaps_ = loop_ && loop_->trial.state() == Trial::State::kept;
  }
  if (!iteration) return overlaps_;
  Loop& now_in = loop_named(clock_.loop());
  if (&now_in != loop_) whole_ = glances_ = false;
  loop_ = &now_in;
  if (whole_) {
    ++iterations_;
    iteration_ns_ = *iteration;
    const double share = static_cast<double>(std::min(hideable_, *iteration)) /
                         static_cast<double>(std::max<std::uint64_t>(*iteration, 1));
    if (glances_) {
      // Bytes that an MPI or the kernel has moved beside the early rounds are not waited for any more.
      const double hidden = std::max(0.0, loop_->exposed - exposed(*iteration));
      if (is_disturbed(*iteration) && loop_->repeated < most_repeated) {
        ++loop_->repeated;
        loop_->trial.glance_again(*iteration);
      } else {
        loop_->trial.glanced(permitted_ ? share + hidden : 0, *iteration);
        loop_->repeated = 0;
      }
    } else {
      if (!overlaps_) note_waits(*iteration);
      if (!overlaps_) loop_->trial.predict(permitted_ ? share : 0);
      if (overlaps_ && told_ > 0 && told_ >= arrived_) loop_->trial.predict(share);
      loop_->trial.permit(permitted_);
      // Where looks are frequent, they belong to the way.
      if (looked_ && loop_->since_look >= seldom) loop_->trial.interrupted();
      loop_->trial.iteration(*iteration);
    }
    if (overlaps_ || glances_) loop_->since_look = looked_ ? 0 : loop_->since_look + 1;
  }
  whole_ = true;
  looked_ = false;
  hideable_ = 0;
  arrived_ = told_ = divided_ = 0;
  waits_ = {};
  overlaps_ = loop_->trial.way() == Trial::Way::other;
  glances_ =
      !overlaps_ && loop_->divided > 0 && loop_->exposed >= Trial::least_share && loop_->trial.wants_glance();
  return overlaps_;
}

// This process looked at its index lists, or another one did, or the machine did something else.
bool LoopJudge::is_disturbed(std::uint64_t iteration) const {
  return looked_ ? loop_->since_look > 0 : loop_->trial.is_slow(iteration);
}

// A message is waited for behind the loop that it was to be hidden by, or where it starts, before it.
bool LoopJudge::divides(std::uint64_t* flight) {
  const std::size_t before = divided_++ % most_divided;
  if (loop_ && loop_->divided < divided_) loop_->divided = divided_;
  if (!overlaps_ && !glances_) return false;
  if (flight && loop_) {
    const std::size_t all = std::min(loop_->divided, most_divided);
    *flight = loop_->waits[before % all] + loop_->waits[(before + 1) % all];
  }
  return true;
}

void LoopJudge::went_plainly(std::uint64_t waited, std::uint64_t computed) {
  hideable_ += std::min(waited, computed);
  waits_[divided_ % most_divided] += waited;
}

// The longest of late: one that finds its partner late takes longer than the message, a short one says
// little.
void LoopJudge::note_waits(std::uint64_t iteration) {
  const std::size_t divided = std::clamp<std::size_t>(loop_->divided, 1, most_divided);
  std::array<std::uint64_t, most_divided> now{};
  for (std::size_t i = 0; i < most_divided; ++i) now[i % divided] += waits_[i];
  for (std::size_t i = 0; i < divided; ++i)
    loop_->waits[i] = std::max(loop_->waits[i] - loop_->waits[i] / 4, now[i]);
  loop_->exposed = exposed(iteration);
}

double LoopJudge::exposed(std::uint64_t iteration) const {
  return static_cast<double>(std::accumulate(waits_.begin(), waits_.end(), std::uint64_t{0})) /
         static_cast<double>(std::max<std::uint64_t>(iteration, 1));
}

void LoopJudge::went_overlapped(std::uint64_t computed) {
  hideable_ += computed;
  ++told_;
}

LoopJudge::Loop& LoopJudge::loop_named(std::uint64_t name) {
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
