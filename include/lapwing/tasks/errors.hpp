// SPDX-License-Identifier: Apache-2.0
// What goes wrong: in a task's body, or in what a program declares.
#pragma once

#include <exception>
#include <source_location>
#include <stdexcept>
#include <string>
#include <utility>

namespace lapwing::tasks {

/// An access that was not declared, an object that is not there, a program that
/// does not hold together. what() names the task, its place and the object.
class Error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// An exception left a task. The main program gets the one that the serial
/// program would have met first.
class TaskError : public std::runtime_error {
 public:
  TaskError(const std::string& what, std::string task, std::source_location where, std::exception_ptr cause)
      : std::runtime_error(what), task_(std::move(task)), where_(where), cause_(std::move(cause)) {}

  /// The name that the program gave, or where it was spawned.
  const std::string& task() const { return task_; }
  /// Where it was spawned.
  std::source_location where() const { return where_; }
  /// The exception that its body threw.
  std::exception_ptr cause() const { return cause_; }
  [[noreturn]] void rethrow_cause() const { std::rethrow_exception(cause_); }

 private:
  std::string task_;
  std::source_location where_;
  std::exception_ptr cause_;
};

}  // namespace lapwing::tasks
