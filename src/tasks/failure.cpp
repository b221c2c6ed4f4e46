// SPDX-License-Identifier: Apache-2.0
#include "tasks/failure.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "tasks/planted.hpp"
#include "tasks/ranks/loan.hpp"

namespace lapwing::tasks {

Place place_of(const Task& task) {
  Place place;
  for (const Task* t = &task; t != nullptr && !t->main; t = t->parent) {
    place.push_back(t->place);
    const Place* const parent = t->guest == nullptr ? nullptr : ranks::place_of_lender(*t->guest);
    if (parent != nullptr) place.insert(place.end(), parent->rbegin(), parent->rend());
  }
  std::reverse(place.begin(), place.end());
  return place;
}

Place here_in(const Task& task) {
  Place place = place_of(task);
  place.push_back(task.children);
  return place;
}

std::string text_of(const std::source_location& where) {
  if (where.line() == 0) return {};
  const std::string_view file = where.file_name();
  const auto slash = file.rfind('/');
  return fmt::format("at {}:{}", slash == std::string_view::npos ? file : file.substr(slash + 1),
                     where.line());
}

std::string text_of(const Task& task) {
  if (task.main) return "the main program";
  if (task.transfer) return "a transfer";
  if (task.label.text == nullptr) return fmt::format("the task spawned {}", text_of(task.where));
  std::string name = task.label.text;
  if (task.label.second >= 0) {
    name = fmt::format("{}({}, {})", name, task.label.first, task.label.second);
  } else if (task.label.first >= 0) {
    name = fmt::format("{}({})", name, task.label.first);
  }
  if (task.where.line() == 0) return fmt::format("task '{}'", name);
  return fmt::format("task '{}' (spawned {})", name, text_of(task.where));
}

void Failure::record(const Task& task) {
  const auto cause = std::current_exception();
  std::string reason = "an exception of an unknown type";
  try {
    throw;
  } catch (const std::exception& error) {
    reason = error.what();
  } catch (...) {
  }
  Place place = here_in(task);
  const progress::Holding lock(mutex_);
  if (error_ != nullptr && (place_ < place) != fault(Fault::last_failure)) return;
  place_ = std::move(place);
  told_ = {place_, fmt::format("{} threw: {}", text_of(task), reason), text_of(task), reason, task.where,
           true};
  error_ = std::make_exception_ptr(
      TaskError(fmt::format("{} threw: {}", text_of(task), reason), text_of(task), task.where, cause));
  any_.store(true, std::memory_order_release);
}

std::optional<Failure::Told> Failure::look() {
  if (!any()) return std::nullopt;
  const progress::Holding lock(mutex_);
  if (error_ == nullptr) return std::nullopt;
  told_.place = place_;
  return told_;
}

bool Failure::counts(const Place& place, bool whole) const {
  return error_ == nullptr || place < place_ || (place_ == place && whole);
}

bool Failure::note(const Place& place, std::exception_ptr error) {
  const progress::Holding lock(mutex_);
  if (!counts(place, error != nullptr)) return false;
  place_ = place;
  told_ = {};
  error_ = error != nullptr
               ? std::move(error)
               : std::make_exception_ptr(TaskError("a task on another rank threw", "", {}, nullptr));
  any_.store(true, std::memory_order_release);
  return true;
}

bool Failure::note(const Told& told) {
  const auto cause = std::make_exception_ptr(std::runtime_error(told.reason));
  const progress::Holding lock(mutex_);
  if (!counts(told.place, true)) return false;
  place_ = told.place;
  told_ = told;
  error_ = std::make_exception_ptr(TaskError(told.what, told.task, told.where, cause));
  any_.store(true, std::memory_order_release);
  return true;
}

bool Failure::precedes(const Place& place) {
  const progress::Holding lock(mutex_);
  return error_ != nullptr && (place_ < place || fault(Fault::skip_too_much));
}

std::exception_ptr Failure::take() {
  const progress::Holding lock(mutex_);
  any_.store(false, std::memory_order_release);
  return std::exchange(error_, nullptr);
}

}  // namespace lapwing::tasks
