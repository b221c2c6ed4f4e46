// SPDX-License-Identifier: Apache-2.0
// The steps in which a task comes into being, for those that come from elsewhere.
#pragma once

#include "tasks/worker.hpp"

namespace lapwing::tasks {

/// A block with room for the records and the closure.
Task* allocate_task(Worker& worker, const detail::Body& body, std::size_t records);
/// Sets the classes of a task's records.
void classify(Task& task);
/// Puts the records into their queues; the task runs when it can.
void enter_task(Task& task, Worker& worker);

}  // namespace lapwing::tasks
