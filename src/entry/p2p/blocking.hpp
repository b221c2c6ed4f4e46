// SPDX-License-Identifier: Apache-2.0
// Blocking calls that do not go straight to MPI, for the entry points and for
// compiled code alike. `plain` makes the program's own call.
#pragma once

#include "entry/p2p/p2p.hpp"
#include "sets/run/request_waits.hpp"

namespace lapwing::entry {

/// A small message of a program on process sets, which needs no engine but is counted.
inline bool only_counted(MPI_Count count, MPI_Datatype type) {
  return transfer::quiet() && sets::messages_are_counted() &&
         (transfer::surely_below(count, type, transfer::header_bytes) || !transfer::Engine::get());
}

/// True where this process owes votes and no engine looks after them while it waits.
inline bool owing_alone() { return owing() && !transfer::Engine::get(); }

template <typename Plain>
int send_blocking(const transfer::SendArguments& a, Plain plain) {
  if (only_counted(a.count, a.type)) return sets::in_send(a.rank, a.tag, a.comm, a.kind, a.caller, plain);
  refuse_merged(a.comm, a.caller);
  if (watched()) return P2pWatch::send(a);
  return sets::in_send(a.rank, a.tag, a.comm, a.kind, a.caller,
                       [&] { return owing_alone() ? PassingOn::send(a) : transfer::send(a, plain); });
}

template <typename Plain>
int receive_blocking(const transfer::ReceiveArguments& a, MPI_Status* status, Plain plain) {
  if (only_counted(a.count, a.type)) {
    return sets::in_receive(a.rank, a.tag, a.comm, a.caller, status,
                            [&](MPI_Status* s) { return noted(plain(s)); });
  }
  refuse_merged(a.comm, a.caller);
  if (owing()) PassingOn::until_arrival(a.rank, a.tag, a.comm);
  if (watched()) return P2pWatch::receive(a, status);
  return sets::in_receive(a.rank, a.tag, a.comm, a.caller, status,
                          [&](MPI_Status* s) { return transfer::receive(a, s, plain); });
}

template <typename Plain>
int exchange_blocking(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                      MPI_Status* status, Plain plain) {
  if (only_counted(s.count, s.type) && only_counted(r.count, r.type))
    return sets::in_exchange(s, r, status, [&](MPI_Status* into) { return noted(plain(into)); });
  refuse_merged(r.comm, r.caller);
  if (watched()) return P2pWatch::send_receive(s, r, status);
  return sets::in_exchange(s, r, status, [&](MPI_Status* into) {
    return owing_alone() ? PassingOn::send_receive(s, r, into) : transfer::send_receive(s, r, into, plain);
  });
}

/// MPI_Sendrecv_replace: both have the same buffer.
template <typename Plain>
int replace_blocking(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                     MPI_Status* status, Plain plain) {
  if (only_counted(s.count, s.type) && only_counted(r.count, r.type))
    return sets::in_exchange(s, r, status, [&](MPI_Status* into) { return noted(plain(into)); });
  refuse_merged(r.comm, r.caller);
  if (watched()) return P2pWatch::send_receive_replace(s, r, status);
  return sets::in_exchange(s, r, status, [&](MPI_Status* into) {
    return owing_alone() ? PassingOn::send_receive_replace(s, r, into)
                         : transfer::send_receive_replace(s, r, into, plain);
  });
}

}  // namespace lapwing::entry
