// SPDX-License-Identifier: Apache-2.0
// The intersection of two distributions of one dimension, in closed form.
//
// Both repeat, so their intersection repeats after the least common multiple of
// the periods: only that much is looked at, and less where the section ends
// first. In it either my runs are gone through, each met with theirs, or
// theirs, each met with mine, whichever are fewer; where one run spans many
// periods of the other side, one family of segments stands for them all.
#include <algorithm>
#include <limits>
#include <numeric>

#include "arrays/schedules/falls.hpp"

namespace lapwing::arrays {

namespace {

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

class Intersection {
 public:
  Intersection(const Axis& mine, int coordinate, const Axis& theirs)
      : mine_(mine),
        coordinate_(coordinate),
        theirs_(theirs),
        shared_(static_cast<std::size_t>(theirs.processes())) {
    // One run has no period of its own. It takes the other's where that saves a list.
    const std::int64_t a = mine.single() && !folds(theirs) ? 1 : mine.period();
    const std::int64_t b = theirs.single() && !folds(mine) ? 1 : theirs.period();
    period_ = static_cast<std::int64_t>(
        std::min<__int128>(static_cast<__int128>(a / std::gcd(a, b)) * b, mine.count()));
  }

  std::vector<Shared> find() {
    if (mine_.count() == 0 || mine_.next(0, coordinate_) == mine_.count()) return {};
    if (cost_by_mine() <= cost_by_theirs()) {
      by_mine();
    } else {
      by_theirs();
    }
    std::vector<Shared> result;
    for (std::size_t q = 0; q < shared_.size(); ++q) {
      if (shared_[q].empty()) continue;
      auto set = std::make_shared<const IndexSet>(repeated(shared_[q]));
      auto places = joined_places(set);
      result.push_back({static_cast<int>(q), std::move(set), std::move(places)});
    }
    return result;
  }

 private:
  [[nodiscard]] bool folds(const Axis& axis) const { return axis.single() || axis.uniform(); }

  [[nodiscard]] std::int64_t cost_by_mine() const {
    const std::int64_t run = mine_.single() ? period_ : std::min(period_, mine_.run_length());
    const std::int64_t each = theirs_.runs_in(run);
    const std::int64_t folded = folds(theirs_) ? std::int64_t{3} * theirs_.processes() : no_end;
    return saturated(mine_.own_runs_in(period_), std::min(each, folded));
  }
  [[nodiscard]] std::int64_t cost_by_theirs() const {
    if (folds(mine_)) return saturated(2, theirs_.runs_in(period_));
    return saturated(2, theirs_.runs_in(period_) + mine_.own_runs_in(period_));
  }
  static std::int64_t saturated(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(std::min<__int128>(static_cast<__int128>(a) * b, no_end));
  }

  /// Goes through the runs of a coordinate in [low, high), as few families as may be.
  template <class Found>
  void runs_within(const Axis& axis, int coordinate, std::int64_t low, std::int64_t high, Found found) {
    std::int64_t i = axis.next(low, coordinate);
    while (i < high) {
      const std::int64_t end = std::min(high, axis.run_end(i));
      const std::int64_t length = end - i;
      if (axis.uniform() && length == axis.run_length() && high - i >= axis.period() + length) {
        const std::int64_t count = (high - i - length) / axis.period() + 1;
        found(i, length, axis.period(), count);
        i = axis.next(i + (count - 1) * axis.period() + length, coordinate);
      } else {
        found(i, length, std::int64_t{0}, std::int64_t{1});
        i = axis.next(end, coordinate);
      }
    }
  }

  void by_mine() {
    for (std::int64_t i = mine_.next(0, coordinate_); i < period_;) {
      const std::int64_t end = std::min(period_, mine_.run_end(i));
      const bool fold = folds(theirs_) && theirs_.runs_in(end - i) > std::int64_t{3} * theirs_.processes();
      if (fold) {
        for (int q = 0; q < theirs_.processes(); ++q) {
          runs_within(theirs_, q, i, end,
                      [&](std::int64_t first, std::int64_t length, std::int64_t stride, std::int64_t count) {
                        add(q, {first, length, stride, count, mine_.local(first), stride * mine_.step(), 0});
                      });
        }
      } else {
        for (std::int64_t j = i; j < end;) {
          const std::int64_t stop = std::min(end, theirs_.run_end(j));
          add(theirs_.owner(j), {j, stop - j, 0, 1, mine_.local(j), 0, 0});
          j = stop;
        }
      }
      i = mine_.next(end, coordinate_);
    }
  }

  void by_theirs() {
    for (std::int64_t j = 0; j < period_;) {
      const std::int64_t stop = std::min(period_, theirs_.run_end(j));
      const int q = theirs_.owner(j);
      runs_within(mine_, coordinate_, j, stop,
                  [&](std::int64_t first, std::int64_t length, std::int64_t stride, std::int64_t count) {
                    add(q, {first, length, stride, count, mine_.local(first),
                            count == 1 ? 0 : mine_.local_period(), 0});
                  });
      j = stop;
    }
  }

  void add(int q, const Segments& next) {
    auto& list = shared_[static_cast<std::size_t>(q)];
    if (next.count == 1)
      append_segment(list, next);
    else
      list.push_back(next);
  }

  /// The families below a bound.
  static std::vector<Segments> cut(const std::vector<Segments>& families, std::int64_t bound) {
    std::vector<Segments> result;
    for (Segments family : families) {
      if (family.first >= bound) break;
      std::int64_t begun = 1;
      if (family.count > 1) begun = std::min(family.count, (bound - 1 - family.first) / family.stride + 1);
      const std::int64_t last = family.first + (begun - 1) * family.stride;
      const std::int64_t left = std::min(family.length, bound - last);
      family.count = begun;
      if (left == family.length) {
        result.push_back(family);
        continue;
      }
      if (--family.count > 0) result.push_back(family);
      result.push_back({last, left, 0, 1, family.local + (begun - 1) * family.local_stride, 0, 0});
    }
    return result;
  }

  /// The segments of one period, repeated for all periods of the section.
  IndexSet repeated(std::vector<Segments>& families) {
    const std::int64_t times = mine_.count() / period_, rest = mine_.count() % period_;
    std::int64_t further = 0;
    if (times > 1 || rest > 0)
      further = mine_.single() ? period_ * mine_.step() : period_ / mine_.period() * mine_.local_period();
    std::vector<Segments> tail = cut(families, rest);
    std::vector<Falls> members;
    if (times > 1 && families.size() == 1 && families[0].count == 1) {
      Segments& family = families[0];
      family.stride = period_;
      family.local_stride = further;
      family.count = times;
      if (tail.size() == 1 && tail[0].length == family.length) {
        ++family.count;
        tail.clear();
      }
      members.push_back({0, 0, 1, 0, 0, 0, 0, std::move(families)});
    } else {
      members.push_back({0, period_, times, 0, further, 0, 0, std::move(families)});
    }
    if (!tail.empty()) members.push_back({times * period_, 0, 1, times * further, 0, 0, 0, std::move(tail)});
    return {std::move(members), mine_.step()};
  }

  const Axis& mine_;
  int coordinate_;
  const Axis& theirs_;
  std::int64_t period_;
  std::vector<std::vector<Segments>> shared_;
};

}  // namespace

std::vector<Shared> intersect(const Axis& mine, int coordinate, const Axis& theirs) {
  return Intersection(mine, coordinate, theirs).find();
}

}  // namespace lapwing::arrays
