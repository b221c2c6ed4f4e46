// SPDX-License-Identifier: Apache-2.0
// Whether a process of another node, which is waited for, can still be reached. A
// small message now and then, ever more seldom, makes MPI notice that its
// connection is gone; an error on the room's communicators then ends the job with a
// sentence. Time proves nothing here: who computes for hours is only written to.
#pragma once

#include <mpi.h>

#include <string>

namespace lapwing::sets {

/// Errors on this communicator of the room's own are noted, and end the job with a
/// sentence at the next end_if_lost(): no call of MPI's can be made where they happen.
void note_errors(MPI_Comm comm);
inline int error_noted = MPI_SUCCESS;
inline int error_at = -1;  ///< the rank of the world to which it happened, where that is known
void end_lost();
inline void end_if_lost() {
  if (error_noted != MPI_SUCCESS) [[unlikely]]
    end_lost();
}

/// A wait for `rank` of the world calls this, over and over; `what` goes into the
/// sentence: "rank 3 of MPI_COMM_WORLD ..., `what`". Under the lock.
void check_alive(int rank, const std::string& what);

/// The kind of the message that tests a connection.
inline constexpr int liveness_kind = 40;

}  // namespace lapwing::sets
