// SPDX-License-Identifier: Apache-2.0
#include "overlap_report.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "support/json_line.hpp"
#include "support/statistics.hpp"

namespace lapwing::bench {

namespace {

using Indices = std::vector<std::size_t>;

std::vector<double> totals(const std::vector<Sample>& samples) {
  std::vector<double> out;
  for (const Sample& s : samples) out.push_back(s.total_s);
  return out;
}

void add(JsonLine& line, const std::string& name, const Interval& interval) {
  line.number(name, interval.value).number(name + "_lo", interval.lo).number(name + "_hi", interval.hi);
}

// The plain runs split into transfer and computation, and what follows from it.
class Limits {
 public:
  explicit Limits(const OverlapResult& result) : first_s_(result.first_s), plain_(totals(result.plain)) {
    for (const Sample& s : result.plain) {
      transfer_.push_back(s.receive_s);
      compute_.push_back(s.total_s - s.receive_s);
    }
  }
  double transfer(const Indices& i) const { return median(picked(transfer_, i)); }
  double compute(const Indices& i) const { return median(picked(compute_, i)); }
  double limit(const Indices& i) const {
    return std::max(transfer(i), compute(i)) + median(picked(first_s_, i));
  }
  // The share of the hideable time that `variant` hid. Where hardly anything
  // can be hidden the share means nothing.
  double hidden(const std::vector<double>& variant, const Indices& i) const {
    const double plain = median(picked(plain_, i)), hideable = plain - limit(i);
    if (hideable < 0.02 * plain) return std::numeric_limits<double>::quiet_NaN();
    return (plain - median(picked(variant, i))) / hideable;
  }

 private:
  std::vector<double> transfer_, compute_, first_s_, plain_;
};

}  // namespace

void print_result(const OverlapResult& result, const OverlapOptions& options, const LapwingSwitch& lapwing) {
  const std::size_t rounds = result.plain.size();
  const Limits limits(result);
  const std::vector<double> plain = totals(result.plain), hand = totals(result.hand),
                            deferred = totals(result.lapwing);
  const double compute = bootstrap(rounds, [&](const auto& i) { return limits.compute(i); }).value;
  const double transfer = bootstrap(rounds, [&](const auto& i) { return limits.transfer(i); }).value;

  JsonLine line;
  line.text("bench", "overlap").text("case", name_of(result.kind));
#ifdef OPEN_MPI
  line.text("mpi", "openmpi");
#else
  line.text("mpi", "mpich");
#endif
  line.text("transport", options.transport).integer("bytes", static_cast<std::int64_t>(result.bytes));
  line.number("ratio", result.ratio > 0 ? result.ratio : compute / transfer);
  line.number("ratio_measured", compute / transfer);
  add(line, "plain_s", median_interval(plain));
  line.number("transfer_s", transfer).number("compute_s", compute);
  if (!hand.empty()) add(line, "hand_s", median_interval(hand));
  if (lapwing.present()) add(line, "lapwing_s", median_interval(deferred));
  add(line, "limit_s", bootstrap(rounds, [&](const auto& i) { return limits.limit(i); }));
  line.integer("first_strip", static_cast<std::int64_t>(result.first_strip));
  if (lapwing.present()) {
    add(line, "hidden", bootstrap(rounds, [&](const auto& i) { return limits.hidden(deferred, i); }));
    if (!hand.empty()) add(line, "vs_hand", ratio_interval(hand, deferred));
    add(line, "vs_plain", ratio_interval(plain, deferred));
    double faults = 0, deferrals = 0;
    for (const Sample& s : result.lapwing) faults += s.faults, deferrals += s.deferred;
    line.number("faults", faults / static_cast<double>(rounds));
    line.number("deferred", deferrals / static_cast<double>(rounds));
  }
  if (!hand.empty()) {
    add(line, "hand_hidden", bootstrap(rounds, [&](const auto& i) { return limits.hidden(hand, i); }));
    line.integer("hand_strip", static_cast<std::int64_t>(result.plan.strip));
    line.integer("hand_window", std::min<std::int64_t>(result.plan.window, 1 << 20));
    line.integer("hand_poll", static_cast<std::int64_t>(result.plan.poll));
  }
  const Interval control = ratio_interval(plain, totals(result.control));
  line.number("control", control.value).number("control_lo", control.lo).number("control_hi", control.hi);
  line.integer("pairs", static_cast<std::int64_t>(rounds));
  line.boolean("lapwing", lapwing.present()).boolean("verified", result.verified);
  line.print();
}

}  // namespace lapwing::bench
