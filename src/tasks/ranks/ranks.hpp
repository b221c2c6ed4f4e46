// SPDX-License-Identifier: Apache-2.0
// A run of tasks on ranks. The main program runs on rank 0, the home, whose scheduler sends each of its tasks
// to a rank, and says what must be moved for it. Every rank puts what it is told into the queues of its own
// synchroniser, in the order of the program. So each rank waits for what it needs by itself, and the whole
// language works within a task as it does on threads.
#pragma once

#include <cstdint>

#include <lapwing/tasks/program.hpp>
#include "tasks/ranks/central.hpp"
#include "tasks/ranks/counts.hpp"
#include "tasks/ranks/home.hpp"
#include "tasks/ranks/loans.hpp"
#include "tasks/ranks/poller.hpp"

namespace lapwing::tasks::ranks {

/// An object that is used here is perhaps another rank's, and not known yet.
/// True if its generation can be compared with the handle's.
bool meet(const detail::Handle& handle, const detail::Type* type, const Task& task);

class Ranks {
 public:
  Ranks(Runtime& runtime, Wire& wire);
  /// All ranks agree on addresses and workers; Error, the same on all, if they cannot.
  void start();
  /// The home ends the run of every rank; then all messages have been handled.
  void end_all();
  void settle();

  /// A task of the main program that is complete: true if it went to another rank.
  bool launch(Task& task);
  /// The home has tasks on other ranks, or lends some.
  bool others_at_work() const;
  /// Events that the home holds back leave now.
  void flush();
  /// A guest and all that came of it have ended.
  void ended(Task& task);
  void add_to(Statistics& statistics) const;

  // The parts of the run, each with its own state; a part knows those above it.
  Job job;
  Outbox outbox;
  FailureMessages failures;
  ObjectTransfers transfers;
  Placement placement;
  Home home;
  CentralScheduler central;
  Loans loans;
  Counts counts;
  StallWatch stall_watch;
  Poller poller;

 private:
  void agree_on_workers();
  void agree_on_addresses();
  void require_known(const Task& task);
  void send_parts(const Guest& guest) const;

  // events.cpp
  void handle(int source, int kind, Arrived message);
  void handle_batch(detail::In in);
  void handle_transfer(Event event, detail::In& in);
};

}  // namespace lapwing::tasks::ranks
