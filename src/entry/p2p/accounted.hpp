// SPDX-License-Identifier: Apache-2.0
// Point-to-point calls, with their waiting in the accounts where a report is wanted.
#pragma once

#include <vector>

#include "transfer/accounts/accounts.hpp"
#include "transfer/accounts/record.hpp"
#include "transfer/engine.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::entry {

/// Whether the accounts are kept. Never so on a path that goes straight to MPI.
inline bool accounting() { return __builtin_expect(transfer::Record::wanted(), 0); }

/// `rc` of a call that starts a message, or makes a persistent request for one.
inline int accounted_start(int rc, const MPI_Request* request, transfer::Caller caller, MPI_Count count,
                           MPI_Datatype type, bool receives, bool persistent) {
  if (accounting() && rc == MPI_SUCCESS)
    transfer::Accounts::started(*request, caller, transfer::Kind::message,
                                transfer::payload_bytes(count, type), receives, persistent);
  return rc;
}

inline int accounted_restart(int rc, const MPI_Request* request) {
  if (accounting() && rc == MPI_SUCCESS) transfer::Accounts::restarted(*request);
  return rc;
}

/// A call that waits for a message without receiving it.
template <typename Call>
int accounted_probe(transfer::Caller caller, Call call) {
  if (!accounting()) return call();
  const std::uint64_t begun = transfer::now_ns();
  const int rc = call();
  transfer::Accounts::called(caller, transfer::Kind::probe, 0, transfer::now_ns() - begun);
  return rc;
}

/// A call that completes requests; `call` takes where its statuses go. `all`: it
/// fills in one for each request.
template <typename Call>
int accounted_completion(transfer::Caller caller, int count, MPI_Request* requests, MPI_Status* statuses,
                         bool waits, bool all, Call call) {
  if (!accounting() || !requests) return call(statuses);
  transfer::Completion completion(caller, count, requests, waits);
  std::vector<MPI_Status> own;
  const bool ignored = statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE;
  if (all && ignored) own.resize(static_cast<std::size_t>(count > 0 ? count : 0));
  MPI_Status* const given = own.empty() ? statuses : own.data();
  const int rc = call(given);
  completion.end(requests, all && rc == MPI_SUCCESS && (!ignored || !own.empty()) ? given : nullptr);
  return rc;
}

}  // namespace lapwing::entry
