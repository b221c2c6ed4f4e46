// SPDX-License-Identifier: Apache-2.0
// Which blocking collectives of compiled programs are made in their
// non-blocking form.
//
// The two forms of one collective must never meet. So a kind is split only if
// every process of the job says, while MPI_Init lasts, that nothing in it calls
// that kind but code which asks here; and each call is decided by what is equal on
// all members of its communicator: the kind, the bytes, type and operation.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "transfer/settings.hpp"

namespace lapwing::entry {

class Collectives {
 public:
  enum Kind {
    bcast,
    reduce,
    allreduce,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    kinds
  };

  /// Whether the compiler has split any in this program.
  static bool wanted();
  /// At the end of MPI_Init, on every process on which they are wanted.
  static void start(const transfer::Settings& settings);

  /// Whether the job has agreed on this kind.
  static bool on(Kind kind) { return on_[kind]; }
  /// Messages of fewer bytes, and empty ones whatever it says, go as the blocking
  /// call: the same on all processes.
  static std::size_t threshold() { return threshold_; }
  /// Whether all members of a communicator have agreed, and there are others.
  static bool takes_part(MPI_Comm comm);
  /// Whether a reduction gives the same bits in whatever order.
  static bool is_exact(MPI_Datatype type, MPI_Op op);

  /// The kind of which a symbol is one of the names; `kinds` if of none.
  static Kind kind_of(const char* symbol);

 private:
  static bool refuses(std::array<long, kinds>* refused);

  static inline std::array<bool, kinds> on_ = {};
  static inline std::size_t threshold_ = 0;
  static inline int key_ = MPI_KEYVAL_INVALID;
};

}  // namespace lapwing::entry
