// SPDX-License-Identifier: Apache-2.0
// MPI_Waitall, by an MPI_Test of each request.
#pragma once

#include <mpi.h>

#include <vector>

namespace lapwing::sets {

/// Lives as long as the wait: what is complete is not tested again.
class OneByOne {
 public:
  OneByOne(int count, MPI_Request* requests, MPI_Status* statuses)
      : count_(count), requests_(requests), statuses_(statuses) {}

  /// True once all are complete, with what MPI_Waitall would return.
  /// `completed(i)` follows each; `idle(i)` says whether it is one that has not been started.
  template <typename Idle, typename Completed>
  bool test(int* rc, Idle idle, Completed completed) {
    for (; next_ < count_; ++next_) {
      MPI_Status* const status = statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses_ + next_;
      int complete = 0;
      // MPICH 4.0 never finds a persistent collective one complete that has not been started.
      const int error = idle(next_) ? PMPI_Request_get_status(MPI_REQUEST_NULL, &complete, status)
                                    : PMPI_Test(requests_ + next_, &complete, status);
      if (error == MPI_SUCCESS && !complete) return false;
      failed_ = failed_ || error != MPI_SUCCESS;
      errors_.push_back(error);
      completed(next_);
    }
    *rc = failed_ ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
    if (!failed_ || statuses_ == MPI_STATUSES_IGNORE) return true;
    for (std::size_t i = 0; i < errors_.size(); ++i) statuses_[i].MPI_ERROR = errors_[i];
    return true;
  }

 private:
  int count_;
  MPI_Request* requests_;
  MPI_Status* statuses_;
  int next_ = 0;
  bool failed_ = false;
  std::vector<int> errors_;
};

}  // namespace lapwing::sets
