// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/loan.hpp"

#include "tasks/ranks/range.hpp"
#include "tasks/ranks/task_messages.hpp"

namespace lapwing::tasks::ranks {

namespace {

const Loan* loan_of(const Task& task) {
  for (const Task* t = &task; t != nullptr && !t->main; t = t->parent) {
    if (t->guest != nullptr && t->guest->loan != nullptr) return t->guest->loan.get();
  }
  return nullptr;
}

}  // namespace

const Place* place_of_lender(const Guest& guest) {
  return guest.loan == nullptr ? nullptr : &guest.loan->parent;
}

bool in_loan(const Task& task) { return loan_of(task) != nullptr; }

Object* borrowed(const detail::Handle& handle, const Task& task) {
  const Loan* const loan = loan_of(task);
  if (loan == nullptr) return nullptr;
  for (const Loan::Copy& copy : loan->copies) {
    const detail::Handle& real = copy.object->real;
    if (real.object == handle.object && real.generation == handle.generation) return copy.object.get();
  }
  return nullptr;
}

detail::Handle handle_of(Object& object) {
  if (!range().has(&object)) return static_cast<Shadow&>(object).real;
  return {&object, object.generation.load(std::memory_order_relaxed)};
}

}  // namespace lapwing::tasks::ranks
