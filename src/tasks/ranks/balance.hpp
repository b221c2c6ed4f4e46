// SPDX-License-Identifier: Apache-2.0
// Which rank runs a task: the central scheduler's choice for tasks that are
// enabled, and the choice for tasks that are sent ahead. Decisions without
// messages, which the replay on simulated processors asks too.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

namespace lapwing::tasks::ranks {

/// Jade 3.4.3. Each rank is given tasks until it has `target`; of
/// the least loaded ones the task's own is preferred, then the one that has waited longest. Tasks that are
/// left wait in a pool, from which a rank that has ended a task gets one, its own if there is.
/// That holds for tasks that the program has placed too: one whose rank has its
/// target waits for that rank.
class Central {
 public:
  Central(int ranks, int target, bool locality)
      : loads_(static_cast<std::size_t>(ranks)),
        since_(static_cast<std::size_t>(ranks)),
        target_(target),
        locality_(locality) {}

  /// A rank for an enabled task that would like to run on rank `wish` (-1: on
  /// any); -1 if it goes into the pool. `placed`: it runs on `wish` or nowhere.
  int enabled(std::uint64_t task, int wish, bool placed = false);
  /// A task runs on `rank` whatever the target: it cannot leave, or it goes on there.
  void keep(int rank) { ++loads_[static_cast<std::size_t>(rank)]; }
  struct Assigned {
    std::uint64_t task;
    int wish;
    bool placed = false;
  };
  /// A rank has ended one of its tasks; the task that it gets next, if any.
  std::optional<Assigned> ended(int rank);

  int load(int rank) const { return loads_[static_cast<std::size_t>(rank)]; }
  std::size_t pooled() const { return pool_.size(); }

 private:
  std::uint64_t since(int rank) const { return since_[static_cast<std::size_t>(rank)]; }

  std::vector<int> loads_;
  std::vector<std::uint64_t> since_;  // which of all ends was each rank's last one
  int target_;
  bool locality_;
  std::uint64_t ends_ = 0;
  std::list<Assigned> pool_;
};

/// A task that is sent as soon as it is created goes to its own rank, unless
/// that has far more to do than another.
class Ahead {
 public:
  Ahead(int ranks, bool locality)
      : sent_(static_cast<std::size_t>(ranks)), ended_(sent_), locality_(locality) {}

  int choose(int wish);
  void sent(int rank) { ++sent_[static_cast<std::size_t>(rank)]; }
  void ended(int rank, std::uint64_t all) { ended_[static_cast<std::size_t>(rank)] = all; }
  std::uint64_t sent_to(int rank) const { return sent_[static_cast<std::size_t>(rank)]; }
  std::uint64_t load(int rank) const { return sent_to(rank) - ended_[static_cast<std::size_t>(rank)]; }
  std::uint64_t unfinished() const;

 private:
  std::vector<std::uint64_t> sent_, ended_;
  bool locality_;
  int next_ = 0;
};

}  // namespace lapwing::tasks::ranks
