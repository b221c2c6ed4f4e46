// SPDX-License-Identifier: Apache-2.0
#include "tasks/recording.hpp"

#include <fmt/format.h>
#include <time.h>
#include <lapwing/tasks/pack.hpp>

#include <algorithm>

#include "tasks/failure.hpp"

namespace lapwing::tasks {

namespace {

constexpr int measurings = 3;  // of an object's size: it may grow at first

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time that the clock itself adds to an interval between two looks at it.
double clock_cost() {
  static const double cost = [] {
    double least = 1;
    for (int i = 0; i < 1000; ++i) {
      const double begin = thread_seconds();
      least = std::min(least, thread_seconds() - begin);
    }
    return least;
  }();
  return cost;
}

double since(double begin) { return std::max(0.0, thread_seconds() - begin - clock_cost()); }

}  // namespace

Recording::Recording() { clock_cost(); }

void Recording::measure(Object& object) {
  Known& known = objects_[object.number];
  // Where there are accesses of parts, others may be writing some.
  if (known.times == measurings || object.value == nullptr || object.partial != 0) return;
  ++known.times;
  if (known.name.empty() && object.name != nullptr) known.name = *object.name;
  std::size_t bytes = object.type->size;
  if (object.type->pack != nullptr) {
    detail::Out out;
    object.type->pack(object.value, out);
    bytes = out.data.size();
  }
  known.bytes = std::max(known.bytes, bytes);
}

RecordedTask* Recording::created(Task& task) {
  const progress::Holding lock(mutex_);
  if (!task.parent->main) {
    nested_ = true;
    return nullptr;
  }
  RecordedTask& made = tasks_.emplace_back();
  made.name = text_of(task);
  for (const Record& record : task) {
    made.uses.push_back({record.object->number, record.rights, record.deferred});
    objects_.try_emplace(record.object->number);
  }
  event(Event::task, &made, 0, 0);
  return &made;
}

void Recording::begins(RecordedTask& task) { task.began = thread_seconds(); }
void Recording::pauses(RecordedTask& task) { task.seconds += since(task.began); }

void Recording::ended(Task& task, RecordedTask& record) {
  pauses(record);
  const progress::Holding lock(mutex_);
  // It still has what it has not given up.
  for (const Record& each : task)
    if (!each.done) measure(*each.object);
}

void Recording::changed(RecordedTask& record, const Object& object, std::uint8_t acquired,
                        std::uint8_t released) {
  pauses(record);
  record.steps.push_back({record.seconds, object.number, acquired, released});
  record.seconds = 0;
  begins(record);
}

void Recording::main_enters() { main_seconds_ += main_began_ < 0 ? 0 : since(main_began_); }
void Recording::main_leaves() { main_began_ = thread_seconds(); }

void Recording::event(Event::Kind kind, const RecordedTask* what, std::uint64_t object, std::uint8_t rights) {
  events_.push_back({kind, main_seconds_, what, object, rights});
  main_seconds_ = 0;
}

void Recording::main_uses(Object& object, std::uint8_t rights) {
  const progress::Holding lock(mutex_);
  measure(object);
  event(Event::use, nullptr, object.number, rights);
}

void Recording::main_finishes() {
  const progress::Holding lock(mutex_);
  event(Event::finish, nullptr, 0, 0);
}

std::string Recording::text() const {
  const progress::Holding lock(mutex_);
  std::string out = "lapwing-recording 1\n";
  if (nested_) out += "nested tasks are missing\n";
  for (const auto& [number, known] : objects_)
    out += fmt::format("object {} {} {}\n", number, known.bytes, known.name);
  for (const Event& event : events_) {
    if (event.before > 0) out += fmt::format("main {:.3f}\n", 1e6 * event.before);
    if (event.kind == Event::finish) out += "finish\n";
    if (event.kind == Event::use) out += fmt::format("use {} {}\n", event.object, event.rights);
    if (event.kind != Event::task) continue;
    const RecordedTask& task = *event.what;
    out += fmt::format("task {}", task.uses.size());
    for (const auto& use : task.uses) out += fmt::format(" {} {} {}", use.object, use.rights, use.deferred);
    out += fmt::format(" {}", task.steps.size());
    for (const auto& step : task.steps)
      out += fmt::format(" {:.3f} {} {} {}", 1e6 * step.seconds, step.object, step.acquired, step.released);
    out += fmt::format(" {:.3f} {}\n", 1e6 * task.seconds, task.name);
  }
  return out;
}

}  // namespace lapwing::tasks
