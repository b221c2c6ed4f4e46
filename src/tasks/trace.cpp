// SPDX-License-Identifier: Apache-2.0
#include "tasks/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "progress/clock.hpp"
#include "tasks/object.hpp"

namespace lapwing::tasks {

Trace::Trace(std::string file) : file_(std::move(file)) {
  begin_ = now();
  if (file_.ends_with(".replay")) recording_ = std::make_unique<Recording>();
}

double Trace::now() const { return 1e-9 * static_cast<double>(progress::now_ns()) - begin_; }

void Trace::created(Task& task) {
  TaskTrace made;
  made.name = text_of(task);
  made.place = place_of(task);
  made.created = now();
  for (const Record& record : task) {
    made.uses.push_back({record.object->number, record.object->text(), record.rights, record.deferred != 0});
    if (record.partial) made.uses.back().part = section_of(record).extent;
  }
  if (recording_ != nullptr) made.recorded = recording_->created(task);
  const progress::Holding lock(mutex_);
  made.number = tasks_.size();
  tasks_.push_back(std::move(made));
  task.trace = &tasks_.back();
}

void Trace::ready(Task& task) {
  if (task.trace != nullptr && task.trace->worker < 0) task.trace->ready = now();
}

void Trace::started(Task& task, int worker) {
  if (task.trace == nullptr) return;
  task.trace->started = now();
  task.trace->worker = worker;
  task.trace->target = task.target;
  task.trace->stolen = task.stolen;
  if (task.trace->recorded != nullptr) Recording::begins(*task.trace->recorded);
}

void Trace::suspended(Task& task) {
  if (task.trace == nullptr) return;
  if (task.trace->recorded != nullptr) Recording::pauses(*task.trace->recorded);
  task.trace->suspended_at = now();
}

void Trace::resumed(Task& task) {
  if (task.trace == nullptr) return;
  task.trace->suspended += now() - task.trace->suspended_at;
  if (task.trace->recorded != nullptr) Recording::begins(*task.trace->recorded);
}

void Trace::ended(Task& task) {
  if (task.trace == nullptr) return;
  task.trace->ended = now();
  if (task.trace->recorded != nullptr) recording_->ended(task, *task.trace->recorded);
}

void Trace::changed(Task& task, const Object& object, std::uint8_t acquired, std::uint8_t released) {
  if (task.trace != nullptr && task.trace->recorded != nullptr)
    Recording::changed(*task.trace->recorded, object, acquired, released);
}

void Trace::write() const {
  const progress::Holding lock(mutex_);
  std::vector<const TaskTrace*> tasks;
  for (const TaskTrace& task : tasks_) tasks.push_back(&task);
  std::sort(tasks.begin(), tasks.end(),
            [](const TaskTrace* a, const TaskTrace* b) { return a->place < b->place; });
  const std::string text = recording_ != nullptr      ? recording_->text()
                           : file_.ends_with(".dot")  ? as_dot(tasks)
                           : file_.ends_with(".svg")  ? as_svg(tasks)
                           : file_.ends_with(".html") ? as_html(tasks)
                                                      : as_table(tasks);
  std::FILE* const out = std::fopen(file_.c_str(), "w");
  if (out == nullptr) {
    fmt::print(stderr, "lapwing: the trace of tasks cannot be written to {}\n", file_);
    return;
  }
  std::fwrite(text.data(), 1, text.size(), out);
  std::fclose(out);
}

}  // namespace lapwing::tasks
