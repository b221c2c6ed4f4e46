// SPDX-License-Identifier: Apache-2.0
#include "tasks/replay/simulation.hpp"

#include <stdexcept>
#include <utility>

namespace lapwing::tasks::replay {

Simulation::Simulation(const Program& of, const Machine& on, const Rules& by)
    : program(of), machine(on), rules(by), graph(of, by.replicate), running_(of.tasks.size()) {
  for (int p = 0; p < rules.processors; ++p) cpus_.emplace_back(clock);
  // Memory is spread; without it the main program makes everything.
  for (std::size_t o = 0; o < program.objects.size(); ++o)
    copies_.emplace_back(machine.messages ? 0 : home(static_cast<int>(o)));
  window_ = std::max(1024L, 64L * rules.processors);
}

int Simulation::home(int object) const {
  const int index = program.objects[static_cast<std::size_t>(object)].index;
  if (rules.processors == 1) return 0;
  return rules.omit_main ? 1 + index % (rules.processors - 1) : index % rules.processors;
}

Outcome Simulation::run() {
  step_main();
  clock.run();
  if (next_event_ != program.events.size() || unfinished_ != 0)
    throw std::runtime_error("the replay came to a halt before the program's end");
  if (finishes_ < 2)
    throw std::runtime_error("the recording has no two calls of finish() around what is measured");
  Outcome result = second_;
  result.seconds -= first_.seconds;
  result.task_seconds -= first_.task_seconds;
  result.tasks -= first_.tasks;
  result.targeted -= first_.targeted;
  result.on_target -= first_.on_target;
  result.messages -= first_.messages;
  result.object_messages -= first_.object_messages;
  result.object_bytes -= first_.object_bytes;
  result.object_latency -= first_.object_latency;
  result.task_latency -= first_.task_latency;
  result.broadcasts -= first_.broadcasts;
  return result;
}

void Simulation::step_main() {
  if (next_event_ == program.events.size()) {
    main_blocked_ = true;
    return serve(0);
  }
  const Event& event = program.events[next_event_];
  if (event.kind == Event::task && unfinished_ >= window_) {
    waits_ = Waits::window;
    main_blocked_ = true;
    return serve(0);
  }
  const double own = rules.scale * event.before;
  cpu(0).work(own + (event.kind == Event::task ? machine.create : 0), [this] { perform_main(); });
}

void Simulation::perform_main() {
  const Event& event = program.events[next_event_];
  if (event.kind == Event::task) {
    ++unfinished_;
    ++next_event_;
    ReadyList ready;
    graph.create(event.what, ready);
    handle(ready);
    return step_main();
  }
  const bool goes_on =
      event.kind == Event::use ? graph.main_uses(event.what, event.rights) : unfinished_ == 0;
  waits_ = event.kind == Event::use ? Waits::object : Waits::finish;
  main_blocked_ = true;
  if (goes_on) {
    if (event.kind == Event::use) waits_ = Waits::nothing;
    main_ready_ = true;
  }
  serve(0);
}

bool Simulation::resume_main() {
  if (!main_blocked_ || !main_ready_) return false;
  main_blocked_ = main_ready_ = false;
  const Waits waited = waits_;
  waits_ = Waits::nothing;
  if (waited == Waits::window) {
    step_main();
    return true;
  }
  const Event& event = program.events[next_event_++];
  if (event.kind == Event::finish) {
    now.seconds = clock.now();
    if (finishes_ == 0) first_ = now;
    if (finishes_ == 1) second_ = now;
    ++finishes_;
    step_main();
    return true;
  }
  if (waited == Waits::object) {
    ReadyList ready;
    graph.main_goes_on(ready);
    handle(ready);
  }
  main_gets(event.what, event.rights, [this] { step_main(); });
  return true;
}

void Simulation::handle(ReadyList& ready) {
  while (!ready.empty()) {
    Task* const task = ready.pop();
    if (!graph.is_main(task)) {
      schedule(Graph::number(task));
      continue;
    }
    main_ready_ = true;
    if (!busy(0)) serve(0);
  }
}

void Simulation::proceed(int task, double extra) {
  Running& state = running(task);
  const RecordedTask& what = recorded(task);
  const bool last = state.step == what.steps.size();
  const double seconds = computed(last ? what.seconds : what.steps[state.step].seconds);
  // A task that has waited in with_cont() has computed this piece already.
  const double left = state.told ? 0 : seconds;
  now.task_seconds += left + (machine.messages ? 0 : extra);
  cpu(state.at).work(left + extra, [this, task, last] {
    Running& here = running(task);
    if (last) return finished(task);
    const Step& step = recorded(task).steps[here.step];
    if (here.told || change(task, step)) {
      here.told = false;
      ++here.step;
      return proceed(task, std::exchange(step_cost, 0.0));
    }
    here.told = true;
    serve(here.at);
  });
}

void Simulation::ended(int task) {
  --unfinished_;
  ++now.tasks;
  ReadyList ready;
  graph.end(task, ready);
  if ((waits_ == Waits::finish && unfinished_ == 0) ||
      (waits_ == Waits::window && unfinished_ <= window_ / 2)) {
    main_ready_ = true;
  }
  handle(ready);
  if (main_ready_ && !busy(0)) serve(0);
}

}  // namespace lapwing::tasks::replay
