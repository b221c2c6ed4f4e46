// SPDX-License-Identifier: Apache-2.0
// Waits, tests, and what else is done with a request.
#include "entry/p2p/accounted.hpp"
#include "entry/p2p/p2p.hpp"
#include "flavour.hpp"
#include "sets/messages.hpp"
#include "sets/run/request_waits.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/decisions/restarts.hpp"

namespace transfer = lapwing::transfer;
using lapwing::entry::accounted_completion;
using lapwing::entry::accounted_restart;
using lapwing::entry::noted;
using lapwing::entry::owing;
using lapwing::entry::P2pWatch;
using lapwing::entry::PassingOn;
using lapwing::entry::quiet;
using lapwing::entry::rarely;
using lapwing::entry::watched;
using lapwing::sets::RequestWait;
using lapwing::transfer::Overlap;
using lapwing::transfer::Restarts;

namespace {

/// A call that completes requests goes straight to MPI: none is followed, and no wait is measured.
[[gnu::always_inline]] inline bool unnoticed() {
  return quiet() && !lapwing::sets::RunWatch::follows && !Overlap::watches_any();
}

}  // namespace

LAPWING_ENTRY int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Wait(request, status));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    const Overlap::Wait overlapped_wait(1, request);
    RequestWait shown(1, request, RequestWait::Until::all, status);
    if (quiet()) return shown.returned(noted(PMPI_Wait(request, status)));
    if (owing()) PassingOn::until_complete(1, request, true);
    const auto caller = lapwing::entry::caller("MPI_Wait", returns_to);
    if (watched()) return P2pWatch::wait(request, status, caller);
    return shown.returned(accounted_completion(caller, 1, request, status, true, true, [&](MPI_Status* s) {
      return transfer::wait(request, s, caller);
    }));
  });
}

LAPWING_ENTRY int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  if (__builtin_expect(unnoticed(), 1)) return noted(lapwing::mpi::wait_all(count, requests, statuses));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    const Overlap::Wait overlapped_wait(count, requests);
    RequestWait shown(count, requests, RequestWait::Until::all, statuses);
    if (quiet()) return shown.returned(noted(lapwing::mpi::wait_all(count, requests, statuses)));
    if (owing()) PassingOn::until_complete(count, requests, true);
    const auto caller = lapwing::entry::caller("MPI_Waitall", returns_to);
    if (watched()) return P2pWatch::wait_all(count, requests, statuses, caller);
    return shown.returned(
        accounted_completion(caller, count, requests, statuses, true, true,
                             [&](MPI_Status* s) { return transfer::wait_all(count, requests, s, caller); }));
  });
}

LAPWING_ENTRY int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Waitany(count, requests, index, status));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    const Overlap::Wait overlapped_wait(count, requests);
    RequestWait shown(count, requests, RequestWait::Until::one, status, false);
    if (quiet()) return shown.returned(noted(PMPI_Waitany(count, requests, index, status)));
    if (owing()) PassingOn::until_complete(count, requests, false);
    const auto caller = lapwing::entry::caller("MPI_Waitany", returns_to);
    if (watched()) return P2pWatch::wait_any(count, requests, index, status, caller);
    return shown.returned(accounted_completion(
        caller, count, requests, status, true, false,
        [&](MPI_Status* s) { return transfer::wait_any(count, requests, index, s, caller); }));
  });
}

LAPWING_ENTRY int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                               MPI_Status statuses[]) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Waitsome(count, requests, done, indices, statuses));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    const Overlap::Wait overlapped_wait(count, requests);
    RequestWait shown(count, requests, RequestWait::Until::one, nullptr);
    if (quiet()) return shown.returned(noted(PMPI_Waitsome(count, requests, done, indices, statuses)));
    if (owing()) PassingOn::until_complete(count, requests, false);
    const auto caller = lapwing::entry::caller("MPI_Waitsome", returns_to);
    if (watched()) return P2pWatch::wait_some(count, requests, done, indices, statuses, caller);
    return shown.returned(accounted_completion(
        caller, count, requests, statuses, true, false,
        [&](MPI_Status* s) { return transfer::wait_some(count, requests, done, indices, s, caller); }));
  });
}

LAPWING_ENTRY int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Test(request, flag, status));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    Overlap::leave_alone(1, request);
    RequestWait shown(1, request, RequestWait::Until::now, status);
    if (quiet()) return shown.returned(noted(PMPI_Test(request, flag, status)));
    if (watched()) return P2pWatch::test(request, flag, status);
    return shown.returned(
        accounted_completion(lapwing::entry::caller("MPI_Test", returns_to), 1, request, status, false, false,
                             [&](MPI_Status* s) { return noted(transfer::test(request, flag, s)); }));
  });
}

LAPWING_ENTRY int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Testall(count, requests, flag, statuses));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    Overlap::leave_alone(count, requests);
    RequestWait shown(count, requests, RequestWait::Until::now, statuses);
    if (quiet()) return shown.returned(noted(PMPI_Testall(count, requests, flag, statuses)));
    if (watched()) return P2pWatch::test_all(count, requests, flag, statuses);
    return shown.returned(accounted_completion(
        lapwing::entry::caller("MPI_Testall", returns_to), count, requests, statuses, false, false,
        [&](MPI_Status* s) { return noted(transfer::test_all(count, requests, flag, s)); }));
  });
}

LAPWING_ENTRY int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Testany(count, requests, index, flag, status));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    Overlap::leave_alone(count, requests);
    RequestWait shown(count, requests, RequestWait::Until::now, status, false);
    if (quiet()) return shown.returned(noted(PMPI_Testany(count, requests, index, flag, status)));
    if (watched()) return P2pWatch::test_any(count, requests, index, flag, status);
    return shown.returned(accounted_completion(
        lapwing::entry::caller("MPI_Testany", returns_to), count, requests, status, false, false,
        [&](MPI_Status* s) { return noted(transfer::test_any(count, requests, index, flag, s)); }));
  });
}

LAPWING_ENTRY int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                               MPI_Status statuses[]) {
  if (__builtin_expect(unnoticed(), 1)) return noted(PMPI_Testsome(count, requests, done, indices, statuses));
  return rarely([=, returns_to = __builtin_return_address(0)] {
    Overlap::leave_alone(count, requests);
    RequestWait shown(count, requests, RequestWait::Until::now, nullptr);
    if (quiet()) return shown.returned(noted(PMPI_Testsome(count, requests, done, indices, statuses)));
    if (watched()) return P2pWatch::test_some(count, requests, done, indices, statuses);
    return shown.returned(accounted_completion(
        lapwing::entry::caller("MPI_Testsome", returns_to), count, requests, statuses, false, false,
        [&](MPI_Status* s) { return noted(transfer::test_some(count, requests, done, indices, s)); }));
  });
}

LAPWING_ENTRY int MPI_Request_free(MPI_Request* request) {
  Overlap::leave_alone(1, request);
  Restarts::freed(request);
  lapwing::sets::note_freed(request);
  if (watched()) return P2pWatch::request_free(request);
  return quiet() && !transfer::Requests::any_kept() ? PMPI_Request_free(request)
                                                    : transfer::request_free(request);
}

LAPWING_ENTRY int MPI_Cancel(MPI_Request* request) {
  lapwing::sets::note_cancelled(request);
  if (watched()) return P2pWatch::cancel(request);
  return quiet() ? PMPI_Cancel(request) : transfer::cancel(request);
}

LAPWING_ENTRY int MPI_Start(MPI_Request* request) {
  lapwing::sets::note_started(1, request);
  if (watched()) return P2pWatch::start_one(request);
  const int rc = quiet() ? PMPI_Start(request) : accounted_restart(transfer::start(request), request);
  if (rc == MPI_SUCCESS) Restarts::started(1, request);
  return rc;
}

LAPWING_ENTRY int MPI_Startall(int count, MPI_Request requests[]) {
  lapwing::sets::note_started(count, requests);
  if (quiet()) {
    const int rc = PMPI_Startall(count, requests);
    if (rc == MPI_SUCCESS) Restarts::started(count, requests);
    return rc;
  }
  for (int i = 0; i < count; ++i) {
    const int rc = watched() ? P2pWatch::start_one(&requests[i])
                             : accounted_restart(transfer::start(&requests[i]), &requests[i]);
    if (rc != MPI_SUCCESS) return rc;
    Restarts::started(1, &requests[i]);
  }
  return MPI_SUCCESS;
}
