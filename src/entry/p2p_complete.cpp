// SPDX-License-Identifier: Apache-2.0
// Waits, tests, and what else is done with a request.
#include "entry/p2p.hpp"
#include "flavour.hpp"
#include "sets/messages.hpp"
#include "transfer/plain_way.hpp"

namespace transfer = lapwing::transfer;
using lapwing::entry::noted;
using lapwing::entry::owing;
using lapwing::entry::P2pWatch;
using lapwing::entry::PassingOn;
using lapwing::entry::quiet;
using lapwing::entry::watched;
using lapwing::transfer::PlainWay;

LAPWING_ENTRY int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const PlainWay::Wait watched_wait;
  if (quiet()) return noted(PMPI_Wait(request, status));
  if (owing()) PassingOn::until_complete(1, request, true);
  if (watched()) return P2pWatch::wait(request, status, LAPWING_CALLER("MPI_Wait"));
  return transfer::wait(request, status, LAPWING_CALLER("MPI_Wait"));
}

LAPWING_ENTRY int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const PlainWay::Wait watched_wait;
  if (quiet()) return noted(lapwing::mpi::wait_all(count, requests, statuses));
  if (owing()) PassingOn::until_complete(count, requests, true);
  if (watched()) return P2pWatch::wait_all(count, requests, statuses, LAPWING_CALLER("MPI_Waitall"));
  return transfer::wait_all(count, requests, statuses, LAPWING_CALLER("MPI_Waitall"));
}

LAPWING_ENTRY int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  if (quiet()) return noted(PMPI_Waitany(count, requests, index, status));
  if (owing()) PassingOn::until_complete(count, requests, false);
  if (watched()) return P2pWatch::wait_any(count, requests, index, status, LAPWING_CALLER("MPI_Waitany"));
  return transfer::wait_any(count, requests, index, status, LAPWING_CALLER("MPI_Waitany"));
}

LAPWING_ENTRY int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                               MPI_Status statuses[]) {
  if (quiet()) return noted(PMPI_Waitsome(count, requests, done, indices, statuses));
  if (owing()) PassingOn::until_complete(count, requests, false);
  if (watched())
    return P2pWatch::wait_some(count, requests, done, indices, statuses, LAPWING_CALLER("MPI_Waitsome"));
  return transfer::wait_some(count, requests, done, indices, statuses, LAPWING_CALLER("MPI_Waitsome"));
}

LAPWING_ENTRY int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  if (quiet()) return noted(PMPI_Test(request, flag, status));
  if (watched()) return P2pWatch::test(request, flag, status);
  return transfer::test(request, flag, status);
}

LAPWING_ENTRY int MPI_Testall(int count, MPI_Request requests[], int* flag, MPI_Status statuses[]) {
  if (quiet()) return noted(PMPI_Testall(count, requests, flag, statuses));
  if (watched()) return P2pWatch::test_all(count, requests, flag, statuses);
  return transfer::test_all(count, requests, flag, statuses);
}

LAPWING_ENTRY int MPI_Testany(int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status) {
  if (quiet()) return noted(PMPI_Testany(count, requests, index, flag, status));
  if (watched()) return P2pWatch::test_any(count, requests, index, flag, status);
  return transfer::test_any(count, requests, index, flag, status);
}

LAPWING_ENTRY int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                               MPI_Status statuses[]) {
  if (quiet()) return noted(PMPI_Testsome(count, requests, done, indices, statuses));
  if (watched()) return P2pWatch::test_some(count, requests, done, indices, statuses);
  return transfer::test_some(count, requests, done, indices, statuses);
}

LAPWING_ENTRY int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  if (quiet()) return PMPI_Request_get_status(request, flag, status);
  if (watched()) {
    lapwing::sets::Messages::progress();
    return PMPI_Request_get_status(request, flag, status);
  }
  return transfer::request_get_status(request, flag, status);
}

LAPWING_ENTRY int MPI_Request_free(MPI_Request* request) {
  if (watched()) return P2pWatch::request_free(request);
  return quiet() && !transfer::Requests::any_kept() ? PMPI_Request_free(request)
                                                    : transfer::request_free(request);
}

LAPWING_ENTRY int MPI_Cancel(MPI_Request* request) {
  if (watched()) return P2pWatch::cancel(request);
  return quiet() ? PMPI_Cancel(request) : transfer::cancel(request);
}

LAPWING_ENTRY int MPI_Start(MPI_Request* request) {
  if (watched()) return P2pWatch::start_one(request);
  return quiet() ? PMPI_Start(request) : transfer::start(request);
}

LAPWING_ENTRY int MPI_Startall(int count, MPI_Request requests[]) {
  if (quiet()) return PMPI_Startall(count, requests);
  for (int i = 0; i < count; ++i) {
    const int rc = watched() ? P2pWatch::start_one(&requests[i]) : transfer::start(&requests[i]);
    if (rc != MPI_SUCCESS) return rc;
  }
  return MPI_SUCCESS;
}
