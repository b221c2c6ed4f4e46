// SPDX-License-Identifier: Apache-2.0
// This rank's place in the job: the part of a run on ranks that does not change after its start.
#pragma once

#include <lapwing/tasks/abi.hpp>

#include <string>
#include <vector>

#include "tasks/ranks/wire.hpp"

namespace lapwing::tasks {
class Runtime;
struct Object;
}  // namespace lapwing::tasks

namespace lapwing::tasks::ranks {

struct Job {
  Job(Runtime& its_runtime, Wire& its_wire);
  /// The main program runs here.
  bool home() const { return rank == 0; }
  int all_workers() const { return first_worker.back(); }
  int first_worker_here() const { return first_worker[static_cast<std::size_t>(rank)]; }
  /// The worker of this rank that has the number among all, or -1.
  int here(int worker) const;
  int rank_of(int worker) const;
  /// The object, which is perhaps another rank's, and not known here yet.
  Object& object_at(const detail::Handle& handle) const;
  /// Says the sentence and ends all ranks.
  [[noreturn]] void fail(const std::string& sentence) const;

  Runtime& runtime;
  Wire& wire;  // whose lock guards the state of all parts of a run on ranks
  const int rank, ranks;
  std::vector<int> first_worker;  // of each rank; behind them the number of all workers
  bool crowded = false;           // more threads than cores here
};

}  // namespace lapwing::tasks::ranks
