// SPDX-License-Identifier: Apache-2.0
// The usual scheduler of the home: each task of the main program is sent to a rank as soon as it is created,
// and with it, to the ranks concerned, what must be moved: "send version 7 of this object there", "version 7
// comes here". The ranks put what they are told into their queues, in the order of the program.
#pragma once

#include <atomic>
#include <cstdint>

#include "tasks/ranks/balance.hpp"
#include "tasks/ranks/object_transfers.hpp"
#include "tasks/ranks/placement.hpp"
#include "tasks/ranks/task_messages.hpp"

namespace lapwing::tasks::ranks {

class Home {
 public:
  Home(const Job& job, Outbox& outbox, ObjectTransfers& transfers, Placement& placement);

  /// A task of the main program that is complete: true if it went to another rank.
  bool launch(Task& task);
  /// The main program is going to use an object.
  void used_by_main(Object& object, std::uint8_t rights);
  /// The main program waits for all tasks: asks for word of them.
  void ask();
  /// A rank says how many of its tasks have ended.
  void ended(int rank, std::uint64_t tasks);
  /// Tasks that the home has sent, and of whose end it has not heard.
  std::uint64_t unfinished() const { return unfinished_.load(std::memory_order_acquire); }
  std::uint64_t unfinished_on(int rank) const;
  /// Those that the rank has ended, as far as it has said.
  std::uint64_t ended_on(int rank) const;

 private:
  void reduce(Object& object, Record& record, Task& task, int rank);
  int choose(Task& task, bool stays);
  CopyRules rules() const;

  const Job& job_;
  Outbox& outbox_;
  ObjectTransfers& transfers_;
  Placement& placement_;
  Ahead ahead_ LAPWING_GUARDED_BY(job_.wire.mutex);
  detail::Out closure_ LAPWING_GUARDED_BY(job_.wire.mutex);  // of the task that is being sent
  std::atomic<std::uint64_t> unfinished_{0};
};

}  // namespace lapwing::tasks::ranks
