// SPDX-License-Identifier: Apache-2.0
// The rendezvous of one transfer in which arrays have index lists: all processes of its task, or of both
// tasks, tell each other over which elements they meet. Several at a time; each goes on in step().
#pragma once

#include <memory>
#include <vector>

#include "arrays/schedules/rendezvous.hpp"
#include "arrays/transfers/met.hpp"
#include "arrays/transfers/movement.hpp"
#include "arrays/transfers/parcels.hpp"

namespace lapwing::arrays {

class Meeting {
 public:
  /// `found` is filled where it is not known yet. Where it is known here, but not on all processes, it is
  /// found again.
  Meeting(TaskComm& comm, const Movement::Ends& ends, const ParcelKey& key, std::shared_ptr<Met> found);
  ~Meeting();

  /// Whether anything has happened.
  bool step();
  /// The result is known, and no other process waits for this one.
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] const std::shared_ptr<Met>& result() const { return result_; }

  /// Whether the transfer of these arrays needs one.
  static bool needed(const Movement::Ends& ends);

 private:
  void ask(int round, bool all);
  void hear(int round);
  void answer();
  void learn();

  TaskComm& comm_;
  std::shared_ptr<Met> result_;
  bool had_;
  std::vector<Rendezvous> views_;
  Parcels parcels_;
  int round_ = 0;
  bool found_ = false, done_ = false;
};

}  // namespace lapwing::arrays
