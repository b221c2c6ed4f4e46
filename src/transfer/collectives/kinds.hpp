// SPDX-License-Identifier: Apache-2.0
// The collectives that may be deferred, each described by which process gives what to which.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

enum class Collective : std::uint8_t {
  alltoall,
  alltoallv,
  allgather,
  allgatherv,
  gather,
  gatherv,
  scatter,
  scatterv,
  bcast
};
inline constexpr std::size_t deferrable_collectives = 9;

/// A process that gives has a block for each process that gets, or one and the same for all;
/// a process that gets has a place for each that gives, or one in all.
struct Shape {
  bool from_root = false;  ///< the root alone gives
  bool to_root = false;    ///< the root alone gets
  bool one_out = false;    ///< one block for all
  bool one_in = false;     ///< one place in all
  bool by_tree = false;    ///< a process passes on what it got
  /// Larger communicators' calls are MPI's: each process sends to each other one, or one to all
  /// others, where MPI has ways of fewer messages.
  int most_members = INT_MAX;
};

inline constexpr int most_of_all_to_all = 16, most_with_a_root = 64;

constexpr Shape shape_of(Collective kind) {
  switch (kind) {
    case Collective::alltoall:
    case Collective::alltoallv:
      return {};
    case Collective::allgather:
    case Collective::allgatherv:
      return {.one_out = true, .most_members = most_of_all_to_all};
    case Collective::gather:
    case Collective::gatherv:
      return {.to_root = true, .one_out = true, .most_members = most_with_a_root};
    case Collective::scatter:
    case Collective::scatterv:
      return {.from_root = true, .one_in = true, .most_members = most_with_a_root};
    case Collective::bcast:
      return {.from_root = true,
              .one_out = true,
              .one_in = true,
              .by_tree = true,
              .most_members = most_with_a_root};
  }
  return {};
}

}  // namespace lapwing::transfer
