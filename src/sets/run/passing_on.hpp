// SPDX-License-Identifier: Apache-2.0
// Blocking point-to-point calls of a process that still has votes to pass on.
//
// The process that waits for those votes may be that whose message this one waits
// for, so it looks after them until its call can go on without waiting.
#pragma once

#include <mpi.h>

#include "sets/votes/votes.hpp"
#include "transfer/requests.hpp"

namespace lapwing::sets {

/// Cheap; false in all but a few moments of a program that divides sets of four
/// and more.
inline bool owes_votes() {
  constexpr int others = Votes::comms_given | Votes::messages_counted;
  return (Votes::owed_anywhere.load(std::memory_order_relaxed) & ~others) != 0;
}
/// The program has communicators of sets, which may be those of sets that are over.
inline bool has_set_comms() {
  return (Votes::owed_anywhere.load(std::memory_order_relaxed) & Votes::comms_given) != 0;
}
/// Neither of both, and messages are not counted.
inline bool messages_are_plain() { return Votes::owed_anywhere.load(std::memory_order_relaxed) == 0; }
/// Neither of both, and messages are counted.
inline bool messages_are_counted() {
  return Votes::owed_anywhere.load(std::memory_order_relaxed) == Votes::messages_counted;
}
/// Ends the job if the message is one on the communicator of a set that has been merged.
void refuse_merged(MPI_Comm comm, transfer::Caller caller);

class PassingOn {
 public:
  /// Until a message for these arguments is there, or nothing is owed any more.
  static void until_arrival(int rank, int tag, MPI_Comm comm);
  /// Until one of the requests, or all, can be completed; likewise.
  static void until_complete(int count, const MPI_Request* requests, bool all);
  /// The whole call, where no engine is there to carry it out.
  static int send(const transfer::SendArguments& a);
  static int send_receive(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                          MPI_Status* status);
  static int send_receive_replace(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                                  MPI_Status* status);
};

}  // namespace lapwing::sets
