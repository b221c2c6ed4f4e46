// SPDX-License-Identifier: Apache-2.0
// Schedules that were computed once: step 4 of a transfer with descriptors that
// have been seen is a look-up.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// A schedule for each of the arrays that travel together.
struct Plan {
  std::vector<Schedule> schedules;
  std::int64_t elements() const {
    std::int64_t sum = 0;
    for (const Schedule& schedule : schedules) sum += schedule.elements();
    return sum;
  }
};

/// The most recent ones, by whatever they were computed from.
class PlanCache {
 public:
  std::shared_ptr<const Plan> find(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, found->second);
    return recent_.front().second;
  }
  void keep(const std::string& key, std::shared_ptr<const Plan> plan) {
    recent_.emplace_front(key, std::move(plan));
    places_[key] = recent_.begin();
    if (recent_.size() <= most) return;
    places_.erase(recent_.back().first);
    recent_.pop_back();
  }

 private:
  static constexpr std::size_t most = 64;
  std::list<std::pair<std::string, std::shared_ptr<const Plan>>> recent_;
  std::unordered_map<std::string, decltype(recent_)::iterator> places_;
};

}  // namespace lapwing::arrays
