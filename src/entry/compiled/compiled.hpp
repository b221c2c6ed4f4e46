// SPDX-License-Identifier: Apache-2.0
// The starts that compiled code makes, for C and Fortran.
#pragma once

#include "entry/p2p/p2p.hpp"
#include "lapwing/compiled.h"

namespace lapwing::entry {

enum class Sending {
  now,         ///< lapwing_start_send
  early,       ///< lapwing_post_send
  paired,      ///< lapwing_pair_send
  paired_copy  ///< lapwing_pair_copy
};

enum class Receiving {
  now,            ///< lapwing_start_recv
  matched,        ///< lapwing_start_recv_matched
  early,          ///< lapwing_post_recv
  paired,         ///< lapwing_pair_recv
  paired_matched  ///< lapwing_pair_recv_matched
};

/// Whether a call on these arguments, whose error the program looks at, is split.
bool may_split(int count, MPI_Datatype type, int rank, MPI_Comm comm);

/// Whether a wait whose error the program looks at may come later. `comm`: that
/// of all its requests, or MPI_COMM_NULL where it is not known.
bool may_sink(MPI_Comm comm);

/// Null where nothing is left to wait for; `*error` is what the call itself
/// would have returned.
lapwing_token* start_send(const transfer::SendArguments& a, Sending how, int* error);
lapwing_token* start_receive(const transfer::ReceiveArguments& a, Receiving how, MPI_Status* status,
                             int* error);
/// The same, and the wait, of transfers that nobody verifies (entry/compiled/verify.hpp).
lapwing_token* start_send_unverified(const transfer::SendArguments& a, Sending how, int* error);
lapwing_token* start_receive_unverified(const transfer::ReceiveArguments& a, Receiving how,
                                        MPI_Status* status, int* error);
void wait_unverified(lapwing_token* token, const void* place);

/// Requests of the program's: behind their start, at `site`; where their wait stood;
/// before it where it stands.
void defer(int count, const MPI_Request* requests, bool receives, const void* site);
void reach(int count, const MPI_Request* requests);
/// Whether a transfer may be completed without its wait.
bool may_reach();
void retire(int count, const MPI_Request* requests);

}  // namespace lapwing::entry
