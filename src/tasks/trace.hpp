// SPDX-License-Identifier: Apache-2.0
// What a run leaves behind when it is asked to: every task with its place in
// the program, its accesses, where it ran and what it waited for.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "progress/locks.hpp"
#include "tasks/failure.hpp"
#include "tasks/recording.hpp"

namespace lapwing::tasks {

struct TaskTrace {
  struct Use {
    std::uint64_t object;
    std::string name;
    std::uint8_t rights;
    bool deferred;
    std::optional<detail::Extent> part = {};
  };
  std::uint64_t number = 0;
  std::string name;
  Place place;
  std::vector<Use> uses;
  double created = 0, ready = 0, started = 0, ended = 0;  // seconds since the run began
  double suspended = 0;                                   // in all
  double suspended_at = 0;
  int worker = -1;
  int target = -1;
  bool stolen = false;
  RecordedTask* recorded = nullptr;
};

class Trace {
 public:
  explicit Trace(std::string file);
  void created(Task& task);
  void ready(Task& task);
  void started(Task& task, int worker);
  void suspended(Task& task);
  void resumed(Task& task);
  void ended(Task& task);
  /// with_cont() is about to change the rights of a task.
  void changed(Task& task, const Object& object, std::uint8_t acquired, std::uint8_t released);
  /// The steps of the main program, if they are recorded (recording.hpp).
  Recording* recording() { return recording_.get(); }
  /// Writes the file, in the form that its name asks for.
  void write() const;

 private:
  double now() const;
  std::string file_;
  double begin_ = 0;
  mutable progress::OwnedMutex mutex_;
  std::deque<TaskTrace> tasks_ LAPWING_GUARDED_BY(mutex_);
  std::unique_ptr<Recording> recording_;  // for the file name *.replay
};

/// A conflict of a task with one of the nearest tasks before it, by their places in the program.
struct Edge {
  const TaskTrace* from;
  const TaskTrace* to;
  std::string object;
};
std::vector<Edge> edges_of(const std::vector<const TaskTrace*>& tasks);
/// The task graph, for Graphviz.
std::string as_dot(const std::vector<const TaskTrace*>& tasks);
/// The timeline and the task graph as one picture, or as a page.
std::string as_svg(const std::vector<const TaskTrace*>& tasks);
std::string as_html(const std::vector<const TaskTrace*>& tasks);
/// One line a task, with what it waited for: a dependence, or a free processor.
std::string as_table(const std::vector<const TaskTrace*>& tasks);

}  // namespace lapwing::tasks
