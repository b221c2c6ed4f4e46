// SPDX-License-Identifier: Apache-2.0
// The program's tasks and objects as the synchroniser (queue.hpp) sees them: it
// decides when a simulated task may run, as it does for real ones.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

#include "tasks/queue.hpp"
#include "tasks/replay/program.hpp"

namespace lapwing::tasks::replay {

class Graph {
 public:
  /// Without replication no two tasks read side by side.
  Graph(const Program& program, bool replicate);

  /// Creates the task. Tasks that may run now are put into `ready`, here and below.
  void create(int task, ReadyList& ready);
  void end(int task, ReadyList& ready);
  void release(int task, const Step& step, ReadyList& ready);
  /// True if the task may go on; else it is put into a list when it may.
  bool acquire(int task, const Step& step);
  /// The same for the main program; main_goes_on() after it was in a list.
  bool main_uses(int object, std::uint8_t rights);
  void main_goes_on(ReadyList& ready);

  bool is_main(const Task* task) const { return task == &main_; }
  static int number(const Task* task) { return static_cast<int>(task->place); }
  Task* task(int number) { return tasks_[static_cast<std::size_t>(number)].get(); }
  Object& object(int number) { return objects_[static_cast<std::size_t>(number)]; }

 private:
  struct Free {
    void operator()(Task* task) const;
  };
  Record& record(int task, int object);

  const Program& program_;
  bool replicate_;
  std::deque<Object> objects_;
  std::vector<std::unique_ptr<Task, Free>> tasks_;
  Task main_;
  Record main_place_;
};

}  // namespace lapwing::tasks::replay
