// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/placement.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/errors.hpp>

#include <cstdio>

#include "tasks/failure.hpp"
#include "tasks/ranks/entry.hpp"
#include "tasks/ranks/modules.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

namespace {

bool may_leave(const Object& object) {
  return object.type->unpack != nullptr && modules().encode(object.type) != 0;
}

}  // namespace

int Placement::pinned(Task& task) {
  int rank = -1;
  const Object* by = nullptr;
  for (const Record& record : task) {
    Object& object = *record.object;
    if (may_leave(object)) continue;
    const int owner = entry_of(object, job_.ranks).copies.owner();
    if (rank >= 0 && rank != owner) {
      throw Error(fmt::format(
          "{} uses {} of rank {} and {} of rank {}, neither of which can be sent: give their types "
          "a serialize()",
          text_of(task), by->text(), rank, object.text(), owner));
    }
    rank = owner;
    by = &object;
  }
  if (by != nullptr) say_object_stays(task, *by, rank);
  return rank;
}

void Placement::say_object_stays(const Task& task, const Object& object, int rank) {
  job_.wire.mutex.assert_held();
  if (!said_.insert(object.type).second) return;
  const char* const why = object.type->unpack == nullptr
                              ? "its type has no serialize(), or keeps what cannot be copied"
                              : "its type is in a library that not all ranks have loaded";
  std::fputs(fmt::format("lapwing: {} cannot travel, so {} and all tasks that use such objects run on rank "
                         "{}: {}\n",
                         object.text(), text_of(task), rank, why)
                 .c_str(),
             stderr);
}

// A body with addresses is often meant to stay; one that was to run elsewhere is not.
void Placement::say_body_stays(const Task& task) {
  job_.wire.mutex.assert_held();
  const bool whole = task.body->pack == nullptr;
  const bool elsewhere = task.placed >= 0 && job_.rank_of(task.placed) != 0;
  if (!job_.runtime.options.remarks && (!(whole || elsewhere) || !said_.insert(task.body).second)) return;
  std::fputs(fmt::format("lapwing: {} stays on rank 0: its body has {}\n", text_of(task),
                         whole ? "a part that cannot be copied byte by byte and has no serialize()"
                               : "an address that means something on this rank only")
                 .c_str(),
             stderr);
}

void Placement::count(int target, int rank) {
  job_.wire.mutex.assert_held();
  if (target < 0) return;
  ++targeted_;
  if (target == rank) ++on_target_;
}

std::uint64_t Placement::targeted() const {
  job_.wire.mutex.assert_held();
  return targeted_;
}

std::uint64_t Placement::on_target() const {
  job_.wire.mutex.assert_held();
  return on_target_;
}

}  // namespace lapwing::tasks::ranks
