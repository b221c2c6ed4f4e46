// SPDX-License-Identifier: Apache-2.0
// Versions of objects, and parts of reductions, between their arrival at this rank and the event of the home
// that says which task they are for: whichever is there first waits for the other.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "tasks/object.hpp"
#include "tasks/ranks/messages.hpp"
#include "tasks/ranks/wire.hpp"

namespace lapwing::tasks::ranks {

/// One arrival: `which` is a version of the object (version_key) or a part of a reduction (part_key).
struct ArrivalKey {
  Object* object;
  std::uint64_t which;
  bool operator==(const ArrivalKey&) const = default;
  struct Hash {
    std::size_t operator()(const ArrivalKey& key) const {
      return (reinterpret_cast<std::size_t>(key.object) >> 6) * 0x9e3779b97f4a7c15ULL ^ key.which;
    }
  };
};

template <typename Value>
using ByArrival = std::unordered_map<ArrivalKey, Value, ArrivalKey::Hash>;

/// Takes an entry out of a map, if it is there.
template <typename Map>
std::optional<typename Map::mapped_type> taken(Map& map, const typename Map::key_type& key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  auto value = std::move(found->second);
  map.erase(found);
  return value;
}

class Arrivals {
 public:
  /// Bytes that were here before their task was.
  std::optional<Arrived> take(const ArrivalKey& key) { return taken(early_, key); }
  void keep(const ArrivalKey& key, Arrived message) {
    assert(task_for(key) == nullptr);
    early_.emplace(key, std::move(message));
  }
  /// Where versions come unasked: of these no task will want an older one than the newest. They come from
  /// their owners, so a newer one may overtake an older one. One that is looked at for its shape has been
  /// promised, and stays.
  void keep_newest(const ArrivalKey& key, Arrived message) {
    if ((key.which & shape_only) != 0) return keep(key, std::move(message));
    auto& newest = newest_[key.object];
    if (key.which <= newest) return;
    early_.erase({key.object, newest});
    newest = key.which;
    keep(key, std::move(message));
  }

  /// The transfer task that installs what comes.
  void expect(const ArrivalKey& key, Task* task) {
    assert(early_.count(key) == 0);
    expected_.emplace(key, task);
  }
  Task* task_for(const ArrivalKey& key) const {
    const auto found = expected_.find(key);
    return found == expected_.end() ? nullptr : found->second;
  }
  void met(const ArrivalKey& key) { expected_.erase(key); }
  const ByArrival<Task*>& expected() const { return expected_; }

  void clear() {
    early_.clear();
    newest_.clear();
  }

 private:
  ByArrival<Arrived> early_;
  ByArrival<Task*> expected_;
  std::unordered_map<Object*, std::uint64_t> newest_;
};

/// The versions that a task of the central scheduler lacks, which its rank asks for: all at once, or one
/// after the other.
class Fetches {
 public:
  struct Fetch {
    int owner;
    detail::Handle what;
    std::uint32_t version;
  };
  /// The events that follow belong to another task.
  void next_task() { last_.reset(); }
  /// True if it is asked for now; else `after` gives it once the one before has come.
  bool now(const ArrivalKey& key, const Fetch& fetch, const Arrivals& arrivals, bool all_at_once) {
    const bool at_once = all_at_once || !last_ || arrivals.task_for(*last_) == nullptr;
    if (!at_once) then_.emplace(*last_, fetch);
    last_ = key;
    return at_once;
  }
  std::optional<Fetch> after(const ArrivalKey& come) { return taken(then_, come); }

 private:
  std::optional<ArrivalKey> last_;
  ByArrival<Fetch> then_;
};

}  // namespace lapwing::tasks::ranks
