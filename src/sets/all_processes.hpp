// SPDX-License-Identifier: Apache-2.0
// Steps of all processes together, while each goes on answering messages.
#pragma once

#include <mpi.h>

#include <vector>

#include "sets/messages.hpp"

namespace lapwing::sets {

/// Combines the values of all processes, element by element. Collective; the lock must not be held.
template <typename Value>
std::vector<Value> combine_all(std::vector<Value> values, MPI_Datatype type, MPI_Op op) {
  std::vector<Value> all(values.size());
  MPI_Request request;
  PMPI_Iallreduce(values.data(), all.data(), static_cast<int>(values.size()), type, op, Messages::world(),
                  &request);
  Messages::wait(
      [&] {
        int done = 0;
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        return done != 0;
      },
      Messages::miss_anybody);
  return all;
}

/// All processes have come here.
inline void meet_all() { combine_all<int>({0}, MPI_INT, MPI_SUM); }

/// Returns once every message that any process has sent has been handled. Collective.
inline void settle() {
  std::int64_t before = -1;
  for (;;) {
    std::vector<std::int64_t> counts{static_cast<std::int64_t>(Messages::sent()),
                                     static_cast<std::int64_t>(Messages::handled())};
    counts = combine_all(counts, MPI_INT64_T, MPI_SUM);
    if (counts[0] == counts[1] && counts[0] == before) return;
    before = counts[0];
  }
}

}  // namespace lapwing::sets
