// SPDX-License-Identifier: Apache-2.0
// What both kinds of machine have in common: the main program, which creates
// tasks and waits, and tasks, which run piece by piece.
#pragma once

#include <deque>
#include <vector>

#include "tasks/ranks/copies.hpp"
#include "tasks/replay/clock.hpp"
#include "tasks/replay/graph.hpp"
#include "tasks/replay/machine.hpp"

namespace lapwing::tasks::replay {

class Simulation {
 public:
  Simulation(const Program& program, const Machine& machine, const Rules& rules);
  virtual ~Simulation() = default;
  Outcome run();

 protected:
  struct Running {
    std::size_t step = 0;
    bool started = false;
    bool told = false;  // with_cont() has been answered for this step
    int at = -1, target = -1;
  };

  /// An enabled task, or one that may go on: somewhere, some time.
  virtual void schedule(int task) = 0;
  /// A processor has become free, or there is something for it.
  virtual void serve(int processor) = 0;
  /// The main program may use the object when `then` is called.
  virtual void main_gets(int object, std::uint8_t rights, Clock::Action then) = 0;
  /// with_cont() of a running task; true if it goes on at once, after `step_cost`.
  virtual bool change(int task, const Step& step) = 0;
  /// A task has computed all that it has to.
  virtual void finished(int task) = 0;

  /// Goes on with a task on its processor, until it ends or must wait.
  void proceed(int task, double extra);
  /// The synchroniser's part of an end.
  void ended(int task);
  void handle(ReadyList& ready);
  /// The main program takes its processor, if it may go on; false if it may not.
  bool resume_main();

  double bytes(int object) const {
    return rules.work_free ? 0 : program.objects[static_cast<std::size_t>(object)].bytes;
  }
  int home(int object) const;
  bool placed(int task) const { return recorded(task).initial || rules.place; }
  const RecordedTask& recorded(int task) const { return program.tasks[static_cast<std::size_t>(task)]; }
  Running& running(int task) { return running_[static_cast<std::size_t>(task)]; }
  ranks::Copies& copies(int object) { return copies_[static_cast<std::size_t>(object)]; }
  /// The main program keeps its processor while it neither waits nor has ended.
  bool busy(int processor) { return cpu(processor).busy() || (processor == 0 && !main_blocked_); }
  Cpu& cpu(int processor) { return cpus_[static_cast<std::size_t>(processor)]; }
  static int locality(const RecordedTask& task) { return task.uses.empty() ? -1 : task.uses[0].object; }

  const Program& program;
  const Machine machine;
  const Rules rules;
  Clock clock;
  Graph graph;
  Outcome now;  // of all so far
  double step_cost = 0;

 private:
  void step_main();
  void perform_main();
  double computed(double seconds) const { return rules.work_free ? 0 : rules.scale * seconds; }

  std::deque<Cpu> cpus_;
  std::vector<Running> running_;
  std::vector<ranks::Copies> copies_;
  std::size_t next_event_ = 0;
  enum class Waits { nothing, object, finish, window } waits_ = Waits::nothing;
  bool main_blocked_ = false, main_ready_ = false;
  long unfinished_ = 0, window_;
  int finishes_ = 0;
  Outcome first_, second_;  // as it was at the first and at the second finish()
};

/// DASH and today's threads.
Outcome on_shared_memory(const Program& program, const Machine& machine, const Rules& rules);
/// The iPSC/860 and today's ranks.
Outcome on_message_passing(const Program& program, const Machine& machine, const Rules& rules);

}  // namespace lapwing::tasks::replay
