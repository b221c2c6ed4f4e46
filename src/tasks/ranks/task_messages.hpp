// SPDX-License-Identifier: Apache-2.0
// Tasks as messages: what another rank needs to run one, and what the rank that sent it wants to know of it.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "tasks/ranks/job.hpp"
#include "tasks/ranks/loan.hpp"
#include "tasks/task.hpp"

namespace lapwing::tasks::ranks {

/// The facts that another rank wants to know of a task here, when it and all that came of
/// it have ended: that it has, and its parts of reductions.
struct Guest {
  struct Part {
    Object* object;
    const detail::Type* type;
    const detail::Reduction* reduction;
    int to;
    std::vector<void*> values = {};  // in the order of the program
  };
  bool counted = false;  // sent here by the home
  bool at_once = false;  // the home wants word of its end
  std::uint64_t place = 0;
  std::vector<Part> parts;
  std::unique_ptr<Loan> loan = nullptr;  // that another rank wants back
};

/// True if the part of a reduction was put with those of the task's guest.
bool collected(Record& record);

/// Parts of a reduction that another rank has made, which fold_parts() combines in their turn.
void read_parts(detail::In& in, Record& record);
void fold_parts(Object& object, Record& record);

/// The task's closure as it travels; `stays` where it holds what means something here only.
detail::Out packed_closure(const Task& task);

/// Body, name, place and number of records; each record and the closure follow.
void put_head(detail::Out& out, const Task& task, int placed);
/// A task of the main program, for a rank: the last part of the event.
void put_task(detail::Out& out, const Task& task, int rank, int ranks, const detail::Out& closure);

struct Head {
  Task& task;
  std::uint32_t records;
};
/// The task without its records.
Head read_head(const Job& job, detail::In& in, bool with_sections = false);
/// The task's records are there: reads the closure, and puts the task into the queues.
void start_task(const Job& job, detail::In& in, Task& task);
/// Reads a task that put_task() has written, and puts it into the queues.
void start_guest(const Job& job, detail::In& in);

/// A vector of bytes, where it lies.
detail::In take_bytes(detail::In& in);

}  // namespace lapwing::tasks::ranks
