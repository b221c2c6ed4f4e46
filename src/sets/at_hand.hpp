// SPDX-License-Identifier: Apache-2.0
// What every split and merge looks at, on one cache line: a program that computes
// between them finds each line gone from the caches, and pays for it.
#pragma once

#include <mpi.h>

#include "sets/lock.hpp"

namespace lapwing::sets {

class Family;
class Run;

struct alignas(64) AtHand {
  Lock lock;               ///< of the room; see Messages
  bool threads = true;     ///< there can be two in the room
  Run* run = nullptr;      ///< run mode, while it is on
  Family* last = nullptr;  ///< found last, by this handle
  MPI_Comm comm = MPI_COMM_NULL;
};

inline AtHand at_hand;

}  // namespace lapwing::sets
