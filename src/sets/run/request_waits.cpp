// SPDX-License-Identifier: Apache-2.0
#include "sets/run/request_waits.hpp"

#include <algorithm>

namespace lapwing::sets {

void RequestWait::begin(int count, const MPI_Request* requests, Until until, const MPI_Status* statuses,
                        bool each) {
  if (count <= 0 || !requests) return;
  requests_ = requests;
  const bool tells = statuses && statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE;
  statuses_ = tells ? statuses : nullptr;
  each_ = each;
  count_ = count;
  until_ = until;
  if (count > few) more_.resize(static_cast<std::size_t>(count));
  std::copy(requests, requests + count, count > few ? more_.data() : few_);
  if (until == Until::all) shown_ = RunWatch::only->wait_for(count, requests);
  if (until == Until::one) shown_ = RunWatch::only->wait_for_any(count, requests);
}

// A persistent request stays, so that it is seen to be complete only where all are.
void RequestWait::end() {
  RunWatch* const watch = RunWatch::only;
  if (!watch) return;
  if (shown_) watch->leave();
  const MPI_Request* const before = count_ > few ? more_.data() : few_;
  for (int i = 0; i < count_; ++i) {
    if (before[i] == MPI_REQUEST_NULL) continue;
    if (requests_[i] != MPI_REQUEST_NULL && !(succeeded_ && until_ == Until::all)) continue;
    watch->complete(before[i], succeeded_ && statuses_ ? &statuses_[each_ ? i : 0] : nullptr);
  }
}

}  // namespace lapwing::sets
