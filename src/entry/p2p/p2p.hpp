// SPDX-License-Identifier: Apache-2.0
// What the hand-written point-to-point entry points share.
//
// Each has a fast path of a few instructions, for messages that are surely too
// small to be stripped while nothing is deferred; everything else is the
// business of transfer/operations.hpp.
#pragma once

#include <mpi.h>

#include "entry/caller.hpp"
#include "sets/check/p2p_watch.hpp"
#include "sets/run/passing_on.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/operations.hpp"

#define LAPWING_ENTRY extern "C" __attribute__((visibility("default")))

namespace lapwing::entry {

inline transfer::Caller caller(const char* name, const void* returns_to) {
  return {call_site(returns_to), name};
}

using lapwing::sets::P2pWatch;

/// True while checking: every call is the watch's. Such calls are never quiet.
inline bool watched() { return __builtin_expect(lapwing::sets::p2p_watched, 0); }

/// True where this process has votes of process sets to pass on while it waits.
inline bool owing() { return __builtin_expect(lapwing::sets::owes_votes(), 0); }
using lapwing::sets::PassingOn;

/// A set's communicator must not outlive the set.
inline void refuse_merged(MPI_Comm comm, transfer::Caller caller) {
  if (__builtin_expect(sets::has_set_comms(), 0)) sets::refuse_merged(comm, caller);
}

/// Nothing is deferred, held back, watched or owed: requests are plain.
inline bool quiet() { return transfer::quiet() && !owing(); }

/// Passes on the result of MPI. A failure may be a receive that MPI truncated.
inline int noted(int rc) {
  if (__builtin_expect(rc != MPI_SUCCESS, 0)) transfer::note_receive_error(rc);
  return rc;
}

/// The rest of a call that does not go straight to MPI. Out of line, and with copies of
/// the arguments, so that the fast path keeps them in their registers. Programs may make it
/// often, so it is compiled for speed.
template <typename Rest>
[[gnu::noinline]] int rarely(const Rest& rest) {
  return rest();
}

/// True where a call may go straight to MPI: small, or nobody is there to strip.
inline bool straight(MPI_Count count, MPI_Datatype type) {
  return transfer::quiet() && __builtin_expect(sets::messages_are_plain(), 1) &&
         (transfer::surely_below(count, type, transfer::header_bytes) || !transfer::Engine::get());
}

/// The same of a call that starts a request, which may be one to be watched.
inline bool starts_straight(MPI_Count count, MPI_Datatype type) {
  return straight(count, type) &&
         (!transfer::Overlap::watches() || transfer::surely_below(count, type, transfer::header_bytes));
}

}  // namespace lapwing::entry

#define LAPWING_CALLER(name) lapwing::entry::caller(name, __builtin_return_address(0))
