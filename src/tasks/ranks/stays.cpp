// SPDX-License-Identifier: Apache-2.0
// What keeps tasks on a rank is said: once for each type.
#include <fmt/format.h>

#include <cstdio>

#include "tasks/ranks/modules.hpp"
#include "tasks/ranks/ranks.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

void Ranks::say_object_stays(const Task& task, const Object& object, int rank) {
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
void Ranks::say_body_stays(const Task& task) {
  const bool whole = task.body->pack == nullptr;
  const bool elsewhere = task.placed >= 0 && rank_of(task.placed) != 0;
  if (!runtime_.options.remarks && (!(whole || elsewhere) || !said_.insert(task.body).second)) return;
  std::fputs(fmt::format("lapwing: {} stays on rank 0: its body has {}\n", text_of(task),
                         whole ? "a part that cannot be copied byte by byte and has no serialize()"
                               : "an address that means something on this rank only")
                 .c_str(),
             stderr);
}

}  // namespace lapwing::tasks::ranks
