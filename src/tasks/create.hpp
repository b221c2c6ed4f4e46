// SPDX-License-Identifier: Apache-2.0
// The steps in which a task comes into being, for those that come from elsewhere.
#pragma once

#include "tasks/worker.hpp"

namespace lapwing::tasks {

/// A block with room for the records, the sections of those that are for parts, and the closure.
Task* allocate_task(Worker& worker, const detail::Body& body, std::size_t records, std::size_t sections = 0);
/// Accesses of parts become accesses of their objects in this run.
bool takes_parts_whole();
/// Where the sections of a task begin that was allocated for so many records.
Section* first_section(Task& task, std::size_t records);
/// The record is for a part of its object, with the next section.
void make_partial(Record& record, const detail::Extent& extent, Section*& next);
/// Sets the classes of a task's records.
void classify(Task& task);
/// Puts the records into their queues; the task runs when it can.
void enter_task(Task& task, Worker& worker);

}  // namespace lapwing::tasks
