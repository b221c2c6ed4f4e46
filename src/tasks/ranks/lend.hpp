// SPDX-License-Identifier: Apache-2.0
// Tasks that tasks spawn, on other ranks. Such a task stays in the queues of its
// parent's rank, and that rank schedules it: when it may run, it can be lent. Its
// closure and the values of its objects travel, it runs there on copies that only
// it and what it spawns can see, and the values that it may have changed come
// back before its places in the queues are given up. So whoever waits for it here
// waits as for a task that runs here, and the order is the queues'.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "tasks/failure.hpp"
#include "tasks/object.hpp"

namespace lapwing::tasks::ranks {

/// A borrowed task's copy of an object; its generation is that of the handle.
struct Shadow : Object {
  detail::Handle real;
};

/// The loan that a task of another rank belongs to.
struct Loan {
  int lender = 0;
  std::uint64_t number = 0;  // among the lender's
  Place parent;              // in the program
  struct Copy {
    std::unique_ptr<Shadow> object;
    std::uint8_t rights;
  };
  std::vector<Copy> copies;  // one for each record
  std::uint64_t since;
};

/// The copy that stands for an object in a task, which is borrowed or comes of one that is; or null.
Object* borrowed(const detail::Handle& handle, const Task& task);
bool in_loan(const Task& task);
/// The handle of an object or of a copy.
detail::Handle handle_of(Object& object);
/// Where a borrowed task's parent is in the program; null of other guests.
const Place* place_of_lender(const Guest& guest);

/// Whether lending pays, and who has asked for tasks. Decisions, without messages.
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
