// SPDX-License-Identifier: Apache-2.0
// Whether lending pays, and which ranks have asked for tasks. Decisions, without messages.
#pragma once

#include <vector>

namespace lapwing::tasks::ranks {

class Lending {
 public:
  explicit Lending(int ranks) : wanted_(static_cast<std::size_t>(ranks)), told_(wanted_.size()) {}

  /// The rank would run some tasks of this one's.
  void asks(int rank, int tasks);
  /// It has other things to do, and will ask again.
  void refuses(int rank);
  /// A rank for a task that may run, which has asked for one; or -1.
  int taker();
  /// The next rank that shall hear that there are tasks to spare; or -1.
  int listener(int self);
  /// Told when a loan is over: seconds that the task took there, and those that
  /// lending it took here. Where that does not pay the next tasks stay.
  void over(double there, double here);
  /// No rank takes any at present.
  bool none() const { return all_wanted_ == 0; }

 private:
  static constexpr int most_pause = 4096;
  std::vector<int> wanted_;  // tasks, by each rank
  std::vector<char> told_;   // and has not asked since
  int all_wanted_ = 0, next_ = 0;
  int pause_ = 0, left_ = 0;
};

}  // namespace lapwing::tasks::ranks
