// SPDX-License-Identifier: Apache-2.0
// MPI_Request_get_status and, of MPI 4.1, its forms for many requests, which no header at
// hand need declare.
#include "entry/p2p/p2p.hpp"
#include "sets/messages.hpp"

using lapwing::entry::noted;
using lapwing::entry::P2pWatch;
using lapwing::entry::quiet;
using lapwing::entry::watched;
namespace transfer = lapwing::transfer;

extern "C" {
int PMPI_Request_get_status_all(int, const MPI_Request[], int*, MPI_Status*);
int PMPI_Request_get_status_any(int, const MPI_Request[], int*, int*, MPI_Status*);
int PMPI_Request_get_status_some(int, const MPI_Request[], int*, int*, MPI_Status*);
}

namespace {

int look_at(MPI_Request request, int* flag, MPI_Status* status) {
  if (quiet()) return noted(PMPI_Request_get_status(request, flag, status));
  if (watched()) {
    lapwing::sets::Messages::progress();
    return PMPI_Request_get_status(request, flag, status);
  }
  return noted(transfer::request_get_status(request, flag, status));
}

void clear_status(MPI_Status* status) {
  int flag = 0;
  if (status != MPI_STATUS_IGNORE) PMPI_Request_get_status(MPI_REQUEST_NULL, &flag, status);
}

enum class RequestState { none, pending, complete };

// MPI gives an empty status for a persistent request that has not been started.
int state_of(MPI_Request request, RequestState* state, MPI_Status* status) {
  *state = RequestState::none;
  if (request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  int flag = 0;
  const int rc = look_at(request, &flag, status);
  if (rc != MPI_SUCCESS || !flag) {
    *state = RequestState::pending;
  } else if (status->MPI_SOURCE != MPI_ANY_SOURCE || status->MPI_TAG != MPI_ANY_TAG) {
    *state = RequestState::complete;
  }
  return rc;
}

}  // namespace

LAPWING_ENTRY int MPI_Request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  return look_at(request, flag, status);
}

LAPWING_ENTRY int MPI_Request_get_status_all(int count, const MPI_Request requests[], int* flag,
                                             MPI_Status statuses[]) {
  if (quiet()) return PMPI_Request_get_status_all(count, requests, flag, statuses);
  for (int i = 0; i < count; ++i) {
    const int rc = look_at(requests[i], flag, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS || !*flag) return rc;
  }
  *flag = 1;
  for (int i = 0, done = 0; statuses != MPI_STATUSES_IGNORE && i < count; ++i) {
    const int rc = look_at(requests[i], &done, &statuses[i]);
    if (rc != MPI_SUCCESS) return rc;
  }
  return MPI_SUCCESS;
}

LAPWING_ENTRY int MPI_Request_get_status_any(int count, const MPI_Request requests[], int* index, int* flag,
                                             MPI_Status* status) {
  if (quiet()) return PMPI_Request_get_status_any(count, requests, index, flag, status);
  bool pending = false;
  for (int i = 0; i < count; ++i) {
    RequestState state;
    MPI_Status seen;
    const int rc = state_of(requests[i], &state, &seen);
    if (rc != MPI_SUCCESS) return rc;
    pending = pending || state == RequestState::pending;
    if (state != RequestState::complete) continue;
    *index = i;
    *flag = 1;
    if (status != MPI_STATUS_IGNORE) *status = seen;
    return MPI_SUCCESS;
  }
  *flag = !pending;
  if (!pending) {
    *index = MPI_UNDEFINED;
    clear_status(status);
  }
  return MPI_SUCCESS;
}

LAPWING_ENTRY int MPI_Request_get_status_some(int count, const MPI_Request requests[], int* done,
                                              int indices[], MPI_Status statuses[]) {
  if (quiet()) return PMPI_Request_get_status_some(count, requests, done, indices, statuses);
  bool pending = false;
  *done = 0;
  for (int i = 0; i < count; ++i) {
    RequestState state;
    MPI_Status seen;
    const int rc = state_of(requests[i], &state, &seen);
    if (rc != MPI_SUCCESS) return rc;
    pending = pending || state == RequestState::pending;
    if (state != RequestState::complete) continue;
    if (statuses != MPI_STATUSES_IGNORE) statuses[*done] = seen;
    indices[(*done)++] = i;
  }
  if (*done == 0 && !pending) *done = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
