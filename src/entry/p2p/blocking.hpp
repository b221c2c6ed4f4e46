// SPDX-License-Identifier: Apache-2.0
// Blocking calls that do not go straight to MPI, for the entry points and for
// compiled code alike. `plain` makes the program's own call.
#pragma once

#include "entry/p2p/p2p.hpp"
#include "sets/run/request_waits.hpp"

namespace lapwing::entry {

/// True where this process owes votes and no engine looks after them while it waits.
inline bool owing_alone() { return owing() && !transfer::Engine::get(); }

template <typename Plain>
int send_blocking(const transfer::SendArguments& a, Plain plain) {
  refuse_merged(a.comm, a.caller);
  sets::note_send(a.rank, a.comm);
  if (owing_alone()) return PassingOn::send(a);
  if (watched()) return P2pWatch::send(a);
  return transfer::send(a, plain);
}

template <typename Plain>
int receive_blocking(const transfer::ReceiveArguments& a, MPI_Status* status, Plain plain) {
  refuse_merged(a.comm, a.caller);
  if (owing()) PassingOn::until_arrival(a.rank, a.tag, a.comm);
  if (watched()) return P2pWatch::receive(a, status);
  return sets::in_receive(a.rank, a.tag, a.comm, a.caller, status,
                          [&] { return transfer::receive(a, status, plain); });
}

template <typename Plain>
int exchange_blocking(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                      MPI_Status* status, Plain plain) {
  refuse_merged(r.comm, r.caller);
  sets::note_send(s.rank, s.comm);
  if (owing_alone()) return PassingOn::send_receive(s, r, status);
  if (watched()) return P2pWatch::send_receive(s, r, status);
  return sets::in_receive(r.rank, r.tag, r.comm, r.caller, status,
                          [&] { return transfer::send_receive(s, r, status, plain); });
}

/// MPI_Sendrecv_replace: both have the same buffer.
template <typename Plain>
int replace_blocking(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                     MPI_Status* status, Plain plain) {
  refuse_merged(r.comm, r.caller);
  sets::note_send(s.rank, s.comm);
  if (owing_alone()) return PassingOn::send_receive_replace(s, r, status);
  if (watched()) return P2pWatch::send_receive_replace(s, r, status);
  return sets::in_receive(r.rank, r.tag, r.comm, r.caller, status,
                          [&] { return transfer::send_receive_replace(s, r, status, plain); });
}

}  // namespace lapwing::entry
