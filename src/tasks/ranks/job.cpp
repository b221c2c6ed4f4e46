// SPDX-License-Identifier: Apache-2.0
#include "tasks/ranks/job.hpp"

#include <cstdio>

#include "tasks/object.hpp"
#include "tasks/ranks/range.hpp"
#include "tasks/runtime.hpp"

namespace lapwing::tasks::ranks {

Job::Job(Runtime& its_runtime, Wire& its_wire)
    : runtime(its_runtime), wire(its_wire), rank(its_wire.rank()), ranks(its_wire.ranks()) {}

int Job::here(int worker) const {
  const int local = worker - first_worker_here();
  return local >= 0 && local < static_cast<int>(runtime.workers.size()) ? local : -1;
}

int Job::rank_of(int worker) const {
  int found = 0;
  while (worker >= first_worker[static_cast<std::size_t>(found) + 1]) ++found;
  return found;
}

Object& Job::object_at(const detail::Handle& handle) const {
  Range& all = range();
  if (all.maker(handle.object) == rank) return *static_cast<Object*>(handle.object);
  const progress::Holding lock(wire.mutex);
  return all.meet(handle.object);
}

void Job::fail(const std::string& sentence) const {
  std::fputs(("lapwing: " + sentence + "\n").c_str(), stderr);
  wire.abort();
  __builtin_unreachable();
}

}  // namespace lapwing::tasks::ranks
