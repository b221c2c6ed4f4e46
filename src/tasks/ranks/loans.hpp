// SPDX-License-Identifier: Apache-2.0
// Tasks that tasks spawn, on other ranks. Such a task stays in the queues of its
// parent's rank, and that rank schedules it: when it may run, it can be lent. Its
// closure and the values of its objects travel, it runs there on copies that only
// it and what it spawns can see, and the values that it may have changed come
// back before its places in the queues are given up. So a task that waits for it here
// waits as for a task that runs here, and the order is the queues'.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tasks/ranks/failure_messages.hpp"
#include "tasks/ranks/lending.hpp"
#include "tasks/ranks/loan.hpp"

namespace lapwing::tasks::ranks {

class Loans {
 public:
  Loans(const Job& job, FailureMessages& failures);

  /// How the placement of a task's child is kept.
  int place_of_child(int worker) const;
  /// A task that may run: true if another rank runs it.
  bool lend(Task& task);
  /// A worker that has nothing to do asks a rank that has said that it has tasks to spare.
  void want();

  // --- messages of other ranks ---
  void wanted_by(int rank, int tasks);
  void spares(int rank);
  void borrow(int source, detail::In in);
  void returned(int source, detail::In in);
  /// A borrowed task, and all that came of it, has ended.
  void give_back(Loan& loan);

  /// Tasks that are lent now, and those that were and are back.
  std::size_t out() const { return out_.load(); }
  std::uint64_t back() const;

 private:
  struct Lent {
    Task* task;
    double cost;  // seconds
    bool fixed;   // the program has said where
  };
  bool enough_here() const;
  bool work_here() const;
  void tell_of_spare();
  bool may_lend(const Task& task) const;
  void look_for_takers();

  const Job& job_;
  FailureMessages& failures_;
  const bool on_;
  Lending lending_ LAPWING_GUARDED_BY(job_.wire.mutex);
  std::unordered_map<std::uint64_t, Lent> lent_ LAPWING_GUARDED_BY(job_.wire.mutex);  // by their number
  std::uint64_t numbers_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
  std::uint64_t back_ LAPWING_GUARDED_BY(job_.wire.mutex) = 0;
  std::vector<int> rich_ LAPWING_GUARDED_BY(job_.wire.mutex);  // ranks that have tasks to spare
  // Copies that are read without the lock: a look in vain costs no more.
  std::atomic<std::size_t> rich_count_{0}, out_{0};
  std::atomic<bool> takers_{false};    // a rank has asked
  std::atomic<bool> all_told_{false};  // every rank knows that there are tasks to spare
};

}  // namespace lapwing::tasks::ranks
