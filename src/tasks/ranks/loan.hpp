// SPDX-License-Identifier: Apache-2.0
// A task that runs here for another rank, on copies of its objects which only it and its children see.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tasks/failure.hpp"
#include "tasks/object.hpp"

namespace lapwing::tasks::ranks {

/// A borrowed task's copy of an object; its generation is that of the handle.
struct Shadow : Object {
  detail::Handle real;
};

/// The loan that a task of another rank belongs to.
struct Loan {
  int lender = 0;
  std::uint64_t number = 0;  // among the lender's
  Place parent;              // in the program
  struct Copy {
    std::unique_ptr<Shadow> object;
    std::uint8_t rights;
  };
  std::vector<Copy> copies;  // one for each record
  std::uint64_t since;
};

/// The copy that stands for an object in a task, which is borrowed or comes of one that is; or null.
Object* borrowed(const detail::Handle& handle, const Task& task);
bool in_loan(const Task& task);
/// The handle of an object or of a copy.
detail::Handle handle_of(Object& object);
/// Where a borrowed task's parent is in the program; null of other guests.
const Place* place_of_lender(const Guest& guest);

}  // namespace lapwing::tasks::ranks
