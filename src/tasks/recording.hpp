// SPDX-License-Identifier: Apache-2.0
// A run as the replay on simulated processors wants it: what the main program
// did, in order, and how long each piece of it and of its tasks computed, by
// the clock of the thread, which other programs do not disturb. Best taken with
// one worker.
//
//   lapwing-recording 1
//   object NUMBER BYTES NAME
//   main MICROSECONDS                     computed before what follows
//   task USES (OBJECT RIGHTS DEFERRED)... STEPS (MICROSECONDS OBJECT ACQUIRED RELEASED)... MICROSECONDS NAME
//   use OBJECT RIGHTS                     by the main program
//   finish
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "tasks/object.hpp"

namespace lapwing::tasks {

/// A call of with_cont(), and how long the task had computed since the step before.
struct RecordedStep {
  double seconds;
  std::uint64_t object;
  std::uint8_t acquired, released;
};

struct RecordedTask {
  std::string name;
  struct Use {
    std::uint64_t object;
    std::uint8_t rights, deferred;
  };
  std::vector<Use> uses;
  std::vector<RecordedStep> steps;
  double seconds = 0;  // since the last step
  double began = 0;
};

class Recording {
 public:
  Recording();
  RecordedTask* created(Task& task);
  /// Between these a task computes.
  static void begins(RecordedTask& task);
  static void pauses(RecordedTask& task);
  void ended(Task& task, RecordedTask& record);
  static void changed(RecordedTask& record, const Object& object, std::uint8_t acquired,
                      std::uint8_t released);

  /// The main program is inside the library between these.
  void main_enters();
  void main_leaves();
  void main_uses(Object& object, std::uint8_t rights);
  void main_finishes();

  std::string text() const;

 private:
  struct Event {
    enum Kind { task, use, finish } kind;
    double before;
    const RecordedTask* what;
    std::uint64_t object;
    std::uint8_t rights;
  };
  struct Known {
    std::size_t bytes = 0;
    int times = 0;  // that it has been measured
    std::string name;
  };
  void measure(Object& object) LAPWING_REQUIRES(mutex_);
  void event(Event::Kind kind, const RecordedTask* what, std::uint64_t object, std::uint8_t rights)
      LAPWING_REQUIRES(mutex_);

  mutable progress::OwnedMutex mutex_;
  std::deque<RecordedTask> tasks_ LAPWING_GUARDED_BY(mutex_);
  std::vector<Event> events_ LAPWING_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Known> objects_ LAPWING_GUARDED_BY(mutex_);
  // Of the main program, which alone touches them.
  double main_began_ = -1;
  double main_seconds_ = 0;
  bool nested_ LAPWING_GUARDED_BY(mutex_) = false;
};

}  // namespace lapwing::tasks
