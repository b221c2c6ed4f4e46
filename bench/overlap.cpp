// SPDX-License-Identifier: Apache-2.0
// How much of a transfer hides behind the computation on its own data, or
// behind an independent computation: plain, by hand, and under Lapwing, the
// variants taking turns in one process with the same buffers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "overlap_options.hpp"
#include "overlap_report.hpp"
#include "overlap_sweep.hpp"
#include "support/mpi_main.hpp"
#include "support/statistics.hpp"
#include "support/texts.hpp"

namespace lapwing::bench {

namespace {

struct Configuration {
  Case kind;
  std::size_t bytes;
  double ratio;  // 0: given by the case itself
};

std::vector<Configuration> configurations(const OverlapOptions& options) {
  std::vector<Configuration> out;
  for (Case kind : options.cases)
    for (std::size_t bytes : options.sizes) {
      if (kind == Case::copy)
        out.push_back({kind, bytes, 0});
      else if (options.thorough || kind != Case::scan_down || bytes < (16 << 20))
        for (double ratio : options.ratios) out.push_back({kind, bytes, ratio});
    }
  return out;
}

// Transfers as they are when a computation lies between them: a limited link
// has had time to recover what it may send at once.
double median_transfer(Runner& runner, std::size_t bytes, int repeats) {
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    for (const double begin = now(); now() - begin < 2e-3;) {
    }
    seconds.push_back(runner.transfer_alone(bytes));
  }
  return median(seconds);
}

class Bench {
 public:
  Bench(const OverlapOptions& options, const LapwingSwitch& lapwing)
      : options_(options),
        lapwing_(lapwing),
        runner_(*std::max_element(options.sizes.begin(), options.sizes.end()), lapwing, options.defer_mode),
        end_(now() + options.budget_s) {}

  void run() {
    std::fprintf(stderr, "overlap: %s\n",
                 lapwing_.present() ? "under Lapwing" : "without Lapwing: plain and hand only");
    median_transfer(runner_, 65536, 5);
    for (std::size_t bytes : options_.sizes) {
      runner_.transfer_alone(bytes);
      transfer_s_[bytes] = median_transfer(runner_, bytes, options_.budget_s > 0 ? 3 : 7);
    }
    const auto all = configurations(options_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      double weight = 0;
      for (std::size_t j = i; j < all.size(); ++j) weight += need_s(all[j]);
      const double share = need_s(all[i]) / weight;
      measure(all[i], options_.budget_s > 0 ? std::max(0.0, end_ - now()) * share : 1e9);
    }
  }

  int mismatches() const { return runner_.mismatches(); }

 private:
  // By what the budget is divided: a few rounds' time, and something for small ones to be exact.
  double need_s(const Configuration& c) { return 0.2 + 20 * expected_s(c); }

  double expected_s(const Configuration& c) { return transfer_s_[c.bytes] * (1 + std::max(c.ratio, 0.1)); }

  void measure(const Configuration& c, double limit_s) {
    const double begin = now();
    Setup setup{c.kind, c.bytes, {}, {}};
    if (c.ratio > 0)
      (is_independent(c.kind) ? setup.independent_work : setup.work) =
          runner_.calibrated(c.kind, c.bytes, c.ratio * transfer_s_[c.bytes]);
    runner_.configure(setup);

    HandPlan& plan = plans_[c.kind];
    if (options_.hand)
      plan = best_hand_plan(runner_, setup, std::min(60.0, 0.25 * limit_s), plan, options_.thorough ? 2 : 1);

    // Warm-up; under Lapwing also what a call site needs to show its direction.
    for (int i = 0; i < (options_.thorough ? 3 : 1); ++i) runner_.run(Variant::plain);
    for (int i = 0; i < (options_.thorough ? 6 : 4) && lapwing_.present(); ++i) runner_.run(Variant::lapwing);

    OverlapResult result{c.kind, c.bytes, c.ratio, plan, first_strip(c.bytes), {}, {}, {}, {}, {}, false};
    int rounds = options_.pairs;
    const double one_s = expected_s(c);
    if (one_s > options_.round_limit_s)
      rounds = std::max(5, static_cast<int>(rounds * options_.round_limit_s / one_s));
    for (int round = 0; round < rounds; ++round) {
      if (round >= 3 && now() - begin > limit_s) break;
      one_round(round, plan, result);
    }
    result.verified = runner_.mismatches() == 0;
    print_result(result, options_, lapwing_);
    std::fprintf(stderr, "overlap: %s %zu bytes: %.1f s\n", name_of(c.kind), c.bytes, now() - begin);
  }

  // Every variant once, the order turning from round to round; plain twice, the
  // second time as the control.
  void one_round(int round, const HandPlan& plan, OverlapResult& result) {
    for (int turn = 0; turn < 4; ++turn) {
      switch ((round + turn) % 4) {
        case 0:
          result.plain.push_back(runner_.run(Variant::plain));
          break;
        case 1:
          if (options_.hand) result.hand.push_back(runner_.run(Variant::hand, plan));
          break;
        case 2:
          result.control.push_back(runner_.run(Variant::plain));
          break;
        case 3:
          if (lapwing_.present()) result.lapwing.push_back(runner_.run(Variant::lapwing));
          break;
      }
    }
    result.first_s.push_back(runner_.transfer_alone(result.first_strip));
  }

  std::size_t first_strip(std::size_t bytes) const {
    return std::max<std::size_t>(4096, std::min(options_.first_strip, bytes / 16));
  }

  const OverlapOptions& options_;
  const LapwingSwitch& lapwing_;
  Runner runner_;
  double end_;
  std::map<std::size_t, double> transfer_s_;
  std::map<Case, HandPlan> plans_;
};

int run(const OverlapOptions& options, int rank, int size) {
  if (size != 2) throw BadOption("the benchmark needs exactly 2 ranks, not " + std::to_string(size));
  const LapwingSwitch lapwing;
  if (rank == sender_rank) {
    run_sender(*std::max_element(options.sizes.begin(), options.sizes.end()), lapwing, options.defer_mode);
    return 0;
  }
  Bench bench(options, lapwing);
  bench.run();
  return bench.mismatches() == 0 ? 0 : 1;
}

}  // namespace

}  // namespace lapwing::bench

int main(int argc, char** argv) {
  using namespace lapwing::bench;
  return mpi_main(argc, argv, "overlap", overlap_usage(),
                  [&](int rank, int size) { return run(parse_overlap_options(argc, argv), rank, size); });
}
