// SPDX-License-Identifier: Apache-2.0
// Accesses of the same bytes of a window, at least one of them writing, that nothing orders (MPI 4.0, section
// 12.7): their outcome is undefined.
//
// Two accesses are ordered where one was complete before the other began: by messages and collective calls
// that both processes have made, or since one of the two holds the window exclusively. In an epoch of locks a
// process may also have read that the other one has finished; nothing is claimed about what it does after it
// may have.
#pragma once

#include <cstddef>
#include <vector>

#include "sets/orders/history.hpp"
#include "sets/windows/access.hpp"

namespace lapwing::sets {

struct Conflict {
  int rank = 0, other_rank = 0;
  std::size_t access = 0, other = 0;  ///< in their records
  ByteRange bytes;                    ///< that both touch
};

/// By world rank. Each pair of calls once, at most `most`.
std::vector<Conflict> find_conflicts(const std::vector<Acts>& acts, const std::vector<AccessRecord>& accesses,
                                     std::size_t most);

}  // namespace lapwing::sets
