// SPDX-License-Identifier: Apache-2.0
// Process sets for C++: a split that ends with its scope.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "lapwing/sets.h"

namespace lapwing {

/// While it lives, the calling process has taken `branch` of a split of `comm`'s
/// current set; every member of that set makes one. Communicates like
/// lapwing_split(), and waits like it, for no process.
class SetScope {
 public:
  SetScope(MPI_Comm comm, int branches, int branch, const char* file = __builtin_FILE(),
           int line = __builtin_LINE())
      : comm_(comm), file_(file), line_(line) {
    lapwing_split_at(comm, branches, branch, file, line);
  }
  ~SetScope() { lapwing_merge_at(comm_, file_, line_); }
  SetScope(const SetScope&) = delete;
  SetScope& operator=(const SetScope&) = delete;

 private:
  MPI_Comm comm_;
  const char* file_;
  int line_;
};

/// The ranks in `comm` of its current set's members, ascending.
inline std::vector<int> set_members(MPI_Comm comm) {
  std::vector<int> ranks(static_cast<std::size_t>(lapwing_set_size(comm)));
  lapwing_set_members(comm, ranks.data(), static_cast<int>(ranks.size()));
  return ranks;
}

/// The name under which MPI's sessions list the current set of `comm`, where the program has given it none.
inline std::string set_pset_name(MPI_Comm comm) {
  std::string name(static_cast<std::size_t>(lapwing_set_pset_name(comm, nullptr, 0)), '\0');
  lapwing_set_pset_name(comm, name.data(), static_cast<int>(name.size()));
  name.pop_back();
  return name;
}

}  // namespace lapwing
