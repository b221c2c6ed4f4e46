// SPDX-License-Identifier: Apache-2.0
// The requests of one call that completes some of them, while checking.
#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "sets/check/pending.hpp"

namespace lapwing::sets {

/// Whether only the status can tell what came.
bool is_wild(const Pending& pending);
/// Whether its status is looked at.
bool wants_status(const Pending& pending);
/// MPI has completed it, without an error if `well`: what was received is counted.
void retire(const Pending& pending, bool well, const MPI_Status& status);

/// The requests of one completing call, as they were before MPI changed them.
class RequestBatch {
 public:
  RequestBatch(int count, MPI_Request* requests);
  RequestBatch(const RequestBatch&) = delete;
  RequestBatch& operator=(const RequestBatch&) = delete;

  /// Statuses are needed to know what came.
  bool wants_statuses() const { return wants_statuses_; }
  bool followed() const { return followed_; }
  /// MPICH 4.0's MPI_Testall takes persistent collectives for failed, and frees requests of files twice.
  bool one_by_one() const { return delicate_; }
  MPI_Request handle(int i) const { return many_ ? many_[static_cast<std::size_t>(i)] : few_[i]; }

  /// The call waits for all of them, as the history is to say. Lives as long as this.
  void waited_by(const Told* told);
  /// A persistent collective operation that is not active.
  bool is_idle_group(int i) const;
  /// MPI has completed the one at `i`, with that status; `well`: without an error.
  void completed(int i, bool well, const MPI_Status& status);
  /// Whether all collective ones are agreed on, and right; or are not known to be wrong after a long time:
  /// who should pass the agreement on may be inside MPI, which completes the call without it.
  bool groups_settled() const;
  int count() const { return count_; }

 private:
  static constexpr int few = 16;
  MPI_Request* handles() { return many_ ? many_.get() : few_; }
  int count_;
  const Told* waited_by_ = nullptr;
  mutable std::uint64_t unsettled_since_ = 0;
  bool wants_statuses_ = false, followed_ = false, delicate_ = false;
  MPI_Request few_[few];
  std::unique_ptr<MPI_Request[]> many_;
};

/// Statuses for a call whose program ignores them.
class Statuses {
 public:
  Statuses(const RequestBatch& batch, MPI_Status* given, bool wanted) : given_(given) {
    if (given != MPI_STATUSES_IGNORE || !wanted) return;
    own_.resize(static_cast<std::size_t>(batch.count()) + 1);
    given_ = own_.data();
  }
  MPI_Status* data() { return given_; }
  const MPI_Status& of(int i) const {
    static const MPI_Status none{};
    return given_ == MPI_STATUSES_IGNORE ? none : given_[i];
  }

 private:
  MPI_Status* given_;
  std::vector<MPI_Status> own_;
};

}  // namespace lapwing::sets
