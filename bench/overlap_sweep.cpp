// SPDX-License-Identifier: Apache-2.0
#include "overlap_sweep.hpp"

#include <algorithm>
#include <tuple>

#include "support/statistics.hpp"

namespace lapwing::bench {

namespace {

struct Candidate {
  HandPlan plan;
  std::vector<double> seconds;
  double typical() const { return median(seconds); }
};

class Sweep {
 public:
  Sweep(Runner& runner, std::size_t bytes, double limit_s)
      : runner_(runner), bytes_(bytes), end_(now() + limit_s) {}

  bool time_left() const { return now() < end_ || candidates_.size() < 4; }

  void attempt(HandPlan plan, int runs) {
    plan.strip = std::min(plan.strip, bytes_);
    if (plan.strip == 0 || !time_left()) return;
    Candidate& candidate = find(plan);
    for (int i = static_cast<int>(candidate.seconds.size()); i < runs; ++i)
      candidate.seconds.push_back(runner_.run(Variant::hand, plan).total_s);
  }

  void sort() {
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.typical() < b.typical(); });
  }
  HandPlan best() {
    sort();
    return candidates_.front().plan;
  }
  HandPlan at(std::size_t i) const { return candidates_[std::min(i, candidates_.size() - 1)].plan; }

 private:
  Candidate& find(const HandPlan& plan) {
    const auto key = [](const HandPlan& p) { return std::tuple(p.strip, p.window, p.poll); };
    for (Candidate& c : candidates_)
      if (key(c.plan) == key(plan)) return c;
    return candidates_.emplace_back(Candidate{plan, {}});
  }

  Runner& runner_;
  std::size_t bytes_;
  double end_;
  std::vector<Candidate> candidates_;
};

}  // namespace

HandPlan best_hand_plan(Runner& runner, const Setup& setup, double limit_s, const HandPlan& likely,
                        int runs) {
  Sweep sweep(runner, setup.bytes, limit_s);
  constexpr std::size_t K = 1024;
  sweep.attempt(likely, runs);
  // Strip sizes first, each with a small and a large window, with and without polling.
  for (std::size_t strip : {64 * K, 256 * K, 16 * K, 1024 * K, 128 * K, setup.bytes}) {
    if (strip > setup.bytes) continue;
    for (int window : {4, 16})
      for (std::size_t poll : {16 * K, std::size_t{0}}) sweep.attempt({strip, window, poll}, runs);
  }
  // Then everything else around the two best.
  sweep.sort();
  const HandPlan leaders[] = {sweep.at(0), sweep.at(1)};
  for (const HandPlan& leader : leaders) {
    for (int window : {1, 2, 8, 1 << 20}) sweep.attempt({leader.strip, window, leader.poll}, runs);
    for (std::size_t poll : {4 * K, 64 * K}) sweep.attempt({leader.strip, leader.window, poll}, runs);
    for (std::size_t strip : {leader.strip / 2, leader.strip * 2})
      if (strip >= 4 * K) sweep.attempt({strip, leader.window, leader.poll}, runs);
  }
  // The leaders again, so that luck does not choose.
  for (int round = 0; round < 2; ++round) {
    sweep.sort();
    const HandPlan again[] = {sweep.at(0), sweep.at(1), sweep.at(2)};
    for (const HandPlan& plan : again) sweep.attempt(plan, 5 + 2 * round);
  }
  return sweep.best();
}

}  // namespace lapwing::bench
