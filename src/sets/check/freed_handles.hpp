// SPDX-License-Identifier: Apache-2.0
// Handles that the program has freed: MPI need not notice that one is used again, and may crash.
//
// MPI may give a new object the same handle, which is then free no more.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <utility>

#include "sets/group_call.hpp"
#include "sets/handle_watch.hpp"
#include "sets/votes/agreement.hpp"

namespace lapwing::sets {

/// Under the lock of Messages where several threads call MPI.
class FreedHandles {
 public:
  static void note_freed(HandleKind kind, std::uint64_t handle, const Told& by);
  static void note_made(HandleKind kind, std::uint64_t handle);
  template <typename Handle>
  static void note_made(HandleKind kind, Handle handle) {
    note_made(kind, Circles::key(&handle, sizeof handle));
  }
  /// MPI may have given out any of these.
  static void forget(HandleKind kind);

  /// `user` is about to use the handle: does not return if it has been freed.
  static void check(HandleKind kind, std::uint64_t handle, const Told& user);
  template <typename Handle>
  static void check(HandleKind kind, Handle handle, const Told& user) {
    if (!freed_.empty()) check(kind, Circles::key(&handle, sizeof handle), user);
  }
  /// The handles of a call that are significant in this process.
  static void check(const GroupCall& call, bool is_root, const Told& user);

 private:
  static inline std::map<std::pair<HandleKind, std::uint64_t>, Told>& freed_ =
      *new std::map<std::pair<HandleKind, std::uint64_t>, Told>;
};

}  // namespace lapwing::sets
