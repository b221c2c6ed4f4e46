// SPDX-License-Identifier: Apache-2.0
// Objects whose bytes are landing in them, strip by strip, while tasks that read them have been let in.
#pragma once

#include <cassert>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tasks/object.hpp"

namespace lapwing::tasks::ranks {

class Landings {
 public:
  void begin(Object& object, std::size_t size) {
    assert(!object.landing.load());
    landings_.emplace(&object, Landing{size});
    object.landing.store(true, std::memory_order_release);
  }
  /// True if the task must wait until so many bytes are there; then `come` gives it.
  bool waits(Object& object, Task& task, std::size_t size) {
    const auto found = landings_.find(&object);
    if (found == landings_.end()) return false;
    Landing& landing = found->second;
    if (size < landing.size) ++early_uses_;
    if (size <= landing.landed) return false;
    task.pending.store(2, std::memory_order_relaxed);
    landing.waiting.push_back({&task, size});
    return true;
  }
  /// True if a transfer task that sends the object on waits until all of it is there.
  bool sends_later(Object& object, Task* sending) {
    const auto found = landings_.find(&object);
    if (found == landings_.end()) return false;
    found->second.sendings.push_back(sending);
    return true;
  }

  struct Come {
    std::vector<Task*> tasks;     // that may have what they wait for
    std::vector<Task*> sendings;  // of the whole object
  };
  /// So many bytes are there.
  Come come(Object& object, std::size_t bytes, bool whole) {
    Come now;
    const auto found = landings_.find(&object);
    if (found == landings_.end()) return now;
    Landing& landing = found->second;
    assert(bytes >= landing.landed);
    landing.landed = bytes;
    for (const Waiting& each : std::exchange(landing.waiting, {})) {
      if (each.size > bytes && !whole) {
        landing.waiting.push_back(each);
      } else {
        now.tasks.push_back(each.task);
      }
    }
    if (!whole) return now;
    now.sendings = std::move(landing.sendings);
    object.landing.store(false, std::memory_order_release);
    landings_.erase(found);
    return now;
  }
  /// How often a task used an object of which a part was still on its way.
  std::uint64_t early_uses() const { return early_uses_; }

 private:
  struct Waiting {
    Task* task;
    std::size_t size;
  };
  struct Landing {
    std::size_t size, landed = 0;
    std::vector<Waiting> waiting = {};
    std::vector<Task*> sendings = {};
  };
  std::unordered_map<Object*, Landing> landings_;
  std::uint64_t early_uses_ = 0;
};

}  // namespace lapwing::tasks::ranks
