// SPDX-License-Identifier: Apache-2.0
// A communicator of the program's whose collectives may be deferred: what its members have
// agreed on, and the private communicator on which deferred calls travel.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "transfer/collectives/agreement.hpp"
#include "transfer/collectives/call_times.hpp"
#include "transfer/collectives/kinds.hpp"
#include "transfer/requests.hpp"
#include "transfer/settings.hpp"

namespace lapwing::transfer {

class Engine;

/// The calls of one kind on one communicator. MPI lets one thread at a time make them.
class GroupCalls {
 public:
  explicit GroupCalls(bool always) : agreement_(always) {}
  ~GroupCalls();
  GroupCalls(const GroupCalls&) = delete;
  GroupCalls& operator=(const GroupCalls&) = delete;

  /// The next call begins, of which all members learn; whether it is deferred. Takes part in
  /// a vote where one is due: an MPI_Iallreduce on the program's communicator, started at one
  /// call and completed at the next.
  bool begin(MPI_Comm comm, const Caller& caller, std::size_t bytes, bool able);
  void went_plainly(std::uint64_t saved) { times_.went_plainly(saved); }
  const Agreement& agreement() const { return agreement_; }

 private:
  Vote vote(bool able) const;
  void say(MPI_Comm comm, const char* call, const Vote& sums, int members) const;

  Agreement agreement_;
  CallTimes times_;
  std::uint64_t plain_ns_ = 0;  // of an iteration, before the trial
  Vote mine_, sums_;
  MPI_Request voting_ = MPI_REQUEST_NULL;
};

class Members {
 public:
  /// For the communicators of this job; null where their calls are never deferred, which is
  /// the same on all members.
  static Members* of(Engine& engine, MPI_Comm comm);
  /// Whether this rank's settings let collective calls be deferred.
  static bool wanted(const Settings& settings);
  /// At the end of MPI_Init, on all ranks of the job, whose settings all want it: whether calls of each kind
  /// may be deferred by this rank's settings and program. The answer is that of all.
  static std::array<bool, deferrable_collectives> start(const std::array<bool, deferrable_collectives>& able,
                                                        const Settings& settings);
  static void stop();
  static bool on(Collective kind) { return on_[static_cast<std::size_t>(kind)]; }

  GroupCalls& calls(Collective kind) {
    auto& calls = calls_[static_cast<std::size_t>(kind)];
    if (!calls) calls = std::make_unique<GroupCalls>(always_);
    return *calls;
  }
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Collective over the members the first time: at a call that all have agreed to defer.
  MPI_Comm wire();
  /// Tag of the next deferred call, of whatever kind; that of an earlier one comes again after many calls.
  int next_tag() { return static_cast<int>(deferred_++ & 0x7fff); }

 private:
  explicit Members(MPI_Comm comm);
  ~Members();
  static int forget(MPI_Comm, int, void* attribute, void*);

  static inline std::array<bool, deferrable_collectives> on_{};
  static inline bool always_ = false;
  static inline int key_ = MPI_KEYVAL_INVALID;

  MPI_Comm comm_, wire_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::uint32_t deferred_ = 0;
  bool eligible_ = false;
  std::array<std::unique_ptr<GroupCalls>, deferrable_collectives> calls_;
};

}  // namespace lapwing::transfer
