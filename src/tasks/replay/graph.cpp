// SPDX-License-Identifier: Apache-2.0
#include "tasks/replay/graph.hpp"

#include <new>

namespace lapwing::tasks::replay {

void Graph::Free::operator()(Task* task) const {
  task->~Task();
  ::operator delete(task, std::align_val_t(alignof(Task)));
}

Graph::Graph(const Program& program, bool replicate)
    : program_(program),
      replicate_(replicate),
      objects_(program.objects.size()),
      tasks_(program.tasks.size()) {
  main_.main = true;
}

void Graph::create(int number, ReadyList& ready) {
  const auto& recorded = program_.tasks[static_cast<std::size_t>(number)];
  void* const block =
      ::operator new(sizeof(Task) + recorded.uses.size() * sizeof(Record), std::align_val_t(alignof(Task)));
  Task* const task = ::new (block) Task;
  tasks_[static_cast<std::size_t>(number)].reset(task);
  task->place = static_cast<std::uint64_t>(number);
  task->parent = &main_;
  for (const Use& use : recorded.uses) {
    Record* const made = ::new (task->records() + task->count) Record;
    ++task->count;
    made->object = &object(use.object);
    made->task = task;
    made->rights = replicate_ ? use.rights : static_cast<std::uint8_t>(use.rights | detail::writes);
    made->deferred = use.deferred != 0 ? made->rights : std::uint8_t{0};
    made->kind = class_of(made->rights);
  }
  if (task->count > 0) task->locality = task->records()->object;
  task->pending.store(static_cast<std::int32_t>(task->count) + 1);
  std::int32_t enabled = 1;
  for (Record& each : *task) {
    if (enter(each, nullptr) || each.deferred != 0) ++enabled;
  }
  if (task->pending.fetch_sub(enabled) == enabled) ready.push(task);
}

void Graph::end(int number, ReadyList& ready) {
  Task* const ended = task(number);
  for (Record& each : *ended) leave(each, ready);
}

Record& Graph::record(int number, int object_number) {
  Record* found = nullptr;
  for (Record& each : *task(number)) {
    if (each.object == &object(object_number)) found = &each;
  }
  return *found;
}

void Graph::release(int number, const Step& step, ReadyList& ready) {
  Record& given_up = record(number, step.object);
  if (given_up.done) return;
  std::uint8_t lost = step.released;
  if (!replicate_ && (given_up.rights & ~lost) == detail::writes) lost |= detail::writes;
  weaken(given_up, lost, ready);
}

bool Graph::acquire(int number, const Step& step) {
  Record& wanted = record(number, step.object);
  const auto rights = replicate_ ? step.acquired : wanted.rights;
  wanted.deferred = 0;
  if (usable(wanted, rights)) return true;
  task(number)->pending.fetch_sub(1);  // it is suspended already
  return false;
}

bool Graph::main_uses(int number, std::uint8_t rights) {
  main_place_ = Record{};
  main_place_.object = &object(number);
  main_place_.task = &main_;
  main_place_.rights = rights;
  if (usable_by_main(object(number), rights, main_place_)) return true;
  main_.pending.fetch_sub(1);
  return false;
}

void Graph::main_goes_on(ReadyList& ready) { leave(main_place_, ready); }

}  // namespace lapwing::tasks::replay
