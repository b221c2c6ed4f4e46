// SPDX-License-Identifier: Apache-2.0
// The elements that index lists were found to share, and the most recent ones.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

/// Of each array of a transfer, on this process. Made before it is known.
struct Met {
  struct One {
    KnownSets sent, received;
  };
  std::vector<One> views;
  bool known = false;
};

/// By words that all processes of a transfer have alike. Within a task transfers begin in the same order
/// everywhere, so all processes find an entry, or none does; between two tasks they do not, and tell each
/// other (meeting.cpp).
class MetCache {
 public:
  /// `*is_new`: no transfer has begun to find it out.
  std::shared_ptr<Met> find(const std::string& key, bool* is_new) {
    const auto found = places_.find(key);
    *is_new = found == places_.end();
    if (!*is_new) {
      recent_.splice(recent_.begin(), recent_, found->second);
      return recent_.front().second;
    }
    recent_.emplace_front(key, std::make_shared<Met>());
    places_[key] = recent_.begin();
    if (recent_.size() > most) {
      places_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return recent_.front().second;
  }

 private:
  static constexpr std::size_t most = 64;
  std::list<std::pair<std::string, std::shared_ptr<Met>>> recent_;
  std::unordered_map<std::string, decltype(recent_)::iterator> places_;
};

}  // namespace lapwing::arrays
