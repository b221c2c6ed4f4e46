// SPDX-License-Identifier: Apache-2.0
// Processors with caches over one memory, and the scheduler of section 3.2.1:
// the library's own queues (scheduler.hpp), asked in the library's order.
#include <algorithm>

#include "tasks/replay/simulation.hpp"
#include "tasks/scheduler.hpp"

namespace lapwing::tasks::replay {

namespace {

class SharedMemory : public Simulation {
 public:
  SharedMemory(const Program& of, const Machine& on, const Rules& by)
      : Simulation(of, on, by), idle_since_(static_cast<std::size_t>(by.processors), 0) {
    for (int p = 0; p < rules.processors; ++p) queues_.emplace_back(p);
    for (std::size_t o = 0; o < program.objects.size(); ++o)
      graph.object(static_cast<int>(o)).owner = home(static_cast<int>(o));
  }

 private:
  double& idle(int processor) { return idle_since_[static_cast<std::size_t>(processor)]; }
  Processor& queue(int processor) { return queues_[static_cast<std::size_t>(processor)]; }

  void schedule(int number) override {
    Task* const task = graph.task(number);
    Running& state = running(number);
    const int object = locality(recorded(number));
    if (!state.started && object >= 0) state.target = graph.object(object).owner;
    if (placed(number) && object >= 0) {
      queue(home(object)).push_placed(task);
    } else if (!rules.locality || object < 0) {
      while (!queue(0).push(task, queue(0).nothing())) {
      }
    } else {
      Object& its = graph.object(object);
      int where = its.queued_at;
      if (where < 0) where = its.owner;
      while (!queue(where).push(task, its)) {
      }
    }
    const int first = placed(number) && object >= 0 ? home(object) : state.target;
    if (!rules.locality || first != finishing_) wake(first);
  }

  // A processor with nothing to do looks around: the task's target first, then the
  // one whose search comes by there first; or, where targets do not count, who
  // has waited longest.
  void wake(int first) {
    std::vector<int> order;
    for (int i = 0; i < rules.processors; ++i)
      order.push_back((std::max(0, first) + rules.processors - i) % rules.processors);
    if (!rules.locality) {
      std::stable_sort(order.begin(), order.end(), [this](int a, int b) { return idle(a) < idle(b); });
    }
    for (const int p : order) {
      if (!busy(p) && idle(p) >= 0) serve(p);
    }
  }

  Task* find(int p, bool patient) {
    if (Task* const own = queue(p).take(true)) return own;
    if (!rules.locality) return p == 0 ? nullptr : queue(0).take(false);
    for (int i = 1; i < rules.processors; ++i) {
      ReadyList more;
      if (Task* const stolen = queue((p + i) % rules.processors).steal(patient ? 2 : 1, more)) return stolen;
    }
    return nullptr;
  }

  void serve(int p) override {
    if (busy(p)) return;
    double& since = idle(p);
    if (p == 0 && resume_main()) {
      since = -1;
      return;
    }
    const bool patient = rules.patience > 0 && (since < 0 || clock.now() - since < rules.patience * 0.999);
    Task* const task = find(p, patient);
    if (task == nullptr) {
      if (since < 0) {
        since = clock.now();
        if (rules.patience > 0) clock.at(since + rules.patience, [this, p] { serve(p); });
      }
      return;
    }
    since = -1;
    begin(Graph::number(task), p);
  }

  void begin(int number, int p) {
    Running& state = running(number);
    state.at = p;
    double extra = rules.eager ? machine.run / 2 : machine.run;
    if (!state.started) {
      state.started = true;
      if (state.target >= 0) {
        ++now.targeted;
        if (state.target == p) ++now.on_target;
      }
      for (const Use& use : recorded(number).uses) {
        if (use.deferred == 0) extra += touch(use.object, use.rights, p);
      }
    } else if (state.told) {
      const Step& step = recorded(number).steps[state.step];
      extra += touch(step.object, step.acquired, p);
    }
    proceed(number, extra);
  }

  // The time that a processor needs to get all lines of an object.
  double touch(int object, std::uint8_t rights, int p) {
    const ranks::CopyRules rules_of_copies{true, 0};
    ranks::Copies& where = copies(object);
    const auto move =
        (rights & detail::writes) != 0 ? where.write(p, rules_of_copies) : where.read(p, rules_of_copies);
    if (!move) return 0;
    const auto cluster = [&](int processor) { return processor / machine.cluster; };
    const double lines = (bytes(object) + machine.line - 1) / machine.line;
    ++now.object_messages;
    now.object_bytes += bytes(object);
    if (cluster(move->from) == cluster(p)) return lines * machine.near;
    return lines * (cluster(move->from) == cluster(home(object)) ? machine.far : machine.far_dirty);
  }

  void main_gets(int object, std::uint8_t rights, Clock::Action then) override {
    const double cost = touch(object, rights, 0);
    cpu(0).work(cost, std::move(then));
  }

  bool change(int number, const Step& step) override {
    if (step.released != 0) {
      ReadyList ready;
      graph.release(number, step, ready);
      handle(ready);
    }
    if (step.acquired == 0) return true;
    if (!graph.acquire(number, step)) return false;
    step_cost = touch(step.object, step.acquired, running(number).at);
    return true;
  }

  void finished(int number) override {
    const int object = locality(recorded(number)), p = running(number).at;
    if (rules.moving_owner && object >= 0 && (recorded(number).uses[0].rights & detail::writes) != 0)
      graph.object(object).owner = p;
    if (rules.eager) {
      // Idle processors search all the time: they find what this end lets run while this one is still busy
      // with it.
      cpu(p).work(machine.run / 2, [this, p] {
        serve(p);
        if (!queue(p).empty()) wake(p);
      });
      return ended(number);
    }
    // The processor that ends a task has the first look at tasks that became ready for it.
    finishing_ = p;
    ended(number);
    finishing_ = -1;
    serve(p);
    if (!queue(p).empty()) wake(p);
  }

  std::deque<Processor> queues_;
  std::vector<double> idle_since_;
  int finishing_ = -1;
};

}  // namespace

Outcome on_shared_memory(const Program& program, const Machine& machine, const Rules& rules) {
  return SharedMemory(program, machine, rules).run();
}

}  // namespace lapwing::tasks::replay
