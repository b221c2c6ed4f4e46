// SPDX-License-Identifier: Apache-2.0
// The message passing machine of Jade 3.3: the home keeps all tasks of the main program in its own
// queues and sends each when it is enabled, to a rank that has fewer tasks than
// the target number; that rank asks the owners of its objects for them, and says
// when the task has ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tasks/ranks/balance.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/object_transfers.hpp"
#include "tasks/ranks/placement.hpp"
#include "tasks/ranks/task_messages.hpp"

namespace lapwing::tasks::ranks {

class CentralScheduler {
 public:
  CentralScheduler(const Job& job, Outbox& outbox, FailureMessages& failures, ObjectTransfers& transfers,
                   Placement& placement);

  bool on() const { return on_; }
  /// True of tasks that must be given to enabled() before they run.
  bool wants_rank(const Task& task) const;
  void enabled(Task& task);
  /// A task of the main program has ended on the rank: it may have another.
  void next_for(int rank);
  /// The running task may use the object, but its value may be elsewhere.
  void ensure_here(Task& task, Object& object, std::uint8_t rights);
  /// A rank has ended a task; and before, parts of reductions that it has left.
  void ended_elsewhere(int rank, std::uint64_t place);
  void parts_from(detail::In in);
  /// Tasks that run on other ranks.
  std::size_t elsewhere() const { return elsewhere_count_.load(); }

 private:
  static void go(Task& task);
  bool will_come(Object& object, const Move& move);
  std::optional<Move> use(Entry& entry, int rank, bool reads);
  int bring(Task& task, Object& object, bool reads);
  bool came_home(ArrivalKey key, detail::In in, Arrived& message);
  void assign(Task& task, int rank);
  void combined_here(Entry& entry);
  void settle_here(Task& task);

  const Job& job_;
  Outbox& outbox_;
  FailureMessages& failures_;
  ObjectTransfers& transfers_;
  Placement& placement_;
  const bool on_;
  Central central_ LAPWING_GUARDED_BY(job_.wire.mutex);
  std::unordered_map<std::uint64_t, Task*> elsewhere_ LAPWING_GUARDED_BY(job_.wire.mutex);  // by place
  ByArrival<std::vector<Task*>> coming_ LAPWING_GUARDED_BY(job_.wire.mutex);  // tasks that wait for it here
  std::atomic<std::size_t> elsewhere_count_{0};
};

}  // namespace lapwing::tasks::ranks
