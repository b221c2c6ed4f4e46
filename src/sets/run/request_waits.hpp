// SPDX-License-Identifier: Apache-2.0
// Run mode: the program's sends and receives, and calls that complete requests of receives and of
// non-blocking collective calls, as watch.hpp counts and shows them.
#pragma once

#include <mpi.h>

#include <vector>

#include "sets/run/watch.hpp"
#include "transfer/requests.hpp"

namespace lapwing::sets {

/// Before a send, or a call that may send later.
inline void note_send(int rank, MPI_Comm comm, bool often = false) {
  if (__builtin_expect(RunWatch::only != nullptr, 0)) RunWatch::only->sends(rank, comm, often);
}

/// After a call that has begun a receive.
inline void note_receive(int rc, const MPI_Request* request, int rank, int tag, MPI_Comm comm,
                         transfer::Caller caller) {
  if (__builtin_expect(RunWatch::only != nullptr, 0) && rc == MPI_SUCCESS)
    RunWatch::only->begins_receive(*request, rank, tag, comm, caller.name, caller.address);
}

/// Before a request is cancelled or freed; a null address is MPI's to refuse.
inline void note_cancelled(const MPI_Request* request) {
  if (__builtin_expect(RunWatch::follows, 0) && request) RunWatch::only->forget(1, request);
}

/// A call that waits for a message. `status` is where it puts the source.
template <typename Make>
int in_receive(int rank, int tag, MPI_Comm comm, transfer::Caller caller, MPI_Status* status, Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  watch->wait_for_message(rank, tag, comm, caller.name, caller.address);
  const int rc = make();
  watch->leave();
  if (rc != MPI_SUCCESS) return rc;
  if (rank == MPI_ANY_SOURCE) rank = status != MPI_STATUS_IGNORE ? status->MPI_SOURCE : MPI_PROC_NULL;
  watch->received(rank, comm);
  return rc;
}

/// A call that waits for a message and does not receive it.
template <typename Make>
int in_probe(int rank, int tag, MPI_Comm comm, transfer::Caller caller, Make make) {
  RunWatch* const watch = RunWatch::only;
  if (__builtin_expect(watch == nullptr, 1)) return make();
  watch->wait_for_message(rank, tag, comm, caller.name, caller.address);
  const int rc = make();
  watch->leave();
  return rc;
}

/// Around a call that waits for all of its requests, or, if not `waits`, may complete some of them. Costs a
/// look where none is followed. The requests that are null afterwards are not followed any more.
class RequestWait {
 public:
  RequestWait(int count, const MPI_Request* requests, bool waits) {
    if (__builtin_expect(RunWatch::follows, 0)) begin(count, requests, waits);
  }
  ~RequestWait() {
    if (__builtin_expect(!before_.empty(), 0)) end();
  }
  RequestWait(const RequestWait&) = delete;
  RequestWait& operator=(const RequestWait&) = delete;

 private:
  [[gnu::noinline, gnu::cold]] void begin(int count, const MPI_Request* requests, bool waits) {
    if (count <= 0 || !requests) return;
    requests_ = requests;
    before_.assign(requests, requests + count);
    waits_ = waits && RunWatch::only->wait_for(count, requests);
  }
  [[gnu::noinline, gnu::cold]] void end() {
    RunWatch* const watch = RunWatch::only;
    if (!watch) return;
    if (waits_) watch->leave();
    for (std::size_t i = 0; i < before_.size(); ++i)
      if (requests_[i] == MPI_REQUEST_NULL && before_[i] != MPI_REQUEST_NULL) watch->complete(1, &before_[i]);
  }

  const MPI_Request* requests_ = nullptr;
  std::vector<MPI_Request> before_;
  bool waits_ = false;
};

}  // namespace lapwing::sets
