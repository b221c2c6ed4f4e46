// SPDX-License-Identifier: Apache-2.0
#include "sets/run/passing_on.hpp"

#include <memory>

#include "mpi/looks.hpp"
#include "progress/waiting.hpp"
#include "sets/run/run.hpp"
#include "transfer/comms.hpp"
#include "transfer/nobody.hpp"
#include "transfer/packing.hpp"
#include "transfer/posting.hpp"

namespace lapwing::sets {
namespace {

template <typename Ready>
void until(Ready ready) {
  for (unsigned idle = 0; owes_votes() && !ready(); ++idle) {
    if (Run::get()) Run::get()->progress();
    progress::relax(idle);
  }
}

}  // namespace

void PassingOn::until_arrival(int rank, int tag, MPI_Comm comm) {
  // A message that a probe has taken out of MPI's hands cannot be seen there.
  if (rank == MPI_PROC_NULL || comm == MPI_COMM_NULL || transfer::Comms::early_total != 0) return;
  until([&] {
    int here = 0;
    return PMPI_Iprobe(rank, tag, comm, &here, MPI_STATUS_IGNORE) != MPI_SUCCESS || here != 0;
  });
}

void PassingOn::until_complete(int count, const MPI_Request* requests, bool all) {
  until([&] {
    bool one = false, every = true, live = false;
    for (int i = 0; i < count; ++i) {
      int done = 1;
      if (requests[i] != MPI_REQUEST_NULL) {
        live = true;
        if (mpi::look(requests[i], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return true;
        one = one || done != 0;
      }
      every = every && done != 0;
    }
    return all ? every : one || !live;
  });
}

int PassingOn::send(const transfer::SendArguments& a) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int rc = post(a, &request);
  if (rc != MPI_SUCCESS) return rc;
  until_complete(1, &request, true);
  return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

int PassingOn::send_receive(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                            MPI_Status* status) {
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int rc = post(r, &requests[0]);
  if (rc != MPI_SUCCESS) return rc;
  rc = post(s, &requests[1]);
  if (rc != MPI_SUCCESS) {
    PMPI_Cancel(&requests[0]);
    PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    return rc;
  }
  until_complete(2, requests, true);
  if (r.rank == MPI_PROC_NULL) transfer::mark_exchange_with_nobody(r.comm);
  rc = PMPI_Wait(&requests[0], status);
  const int sent = PMPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  return rc != MPI_SUCCESS ? rc : sent;
}

int PassingOn::send_receive_replace(const transfer::SendArguments& s, const transfer::ReceiveArguments& r,
                                    MPI_Status* status) {
  transfer::SendArguments packed = s;
  std::unique_ptr<char[]> copy;
  int rc = transfer::copy_to_send(&packed, &copy);
  if (rc != MPI_SUCCESS) return rc;
  rc = send_receive(packed, r, status);
  if (mpi::replace_clears_error && rc == MPI_SUCCESS && status != MPI_STATUS_IGNORE)
    status->MPI_ERROR = MPI_SUCCESS;
  return rc;
}

}  // namespace lapwing::sets
