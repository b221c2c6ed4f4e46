// SPDX-License-Identifier: Apache-2.0
// Handles that a program makes and has to free, as the entry points see them.
#pragma once

#include <cstdint>

namespace lapwing::sets {

enum class HandleKind : std::uint8_t { communicator, datatype, group, operation, window, file, request };

/// An observer of the calls that make and free handles; at most one in a process.
class HandleWatcher {
 public:
  virtual ~HandleWatcher() = default;
  /// MPI has made one. `handle`: its bits. `returns_to`: into the caller.
  virtual void made(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) = 0;
  /// MPI has given the program some of its own, or of which it is not known who frees them.
  virtual void lent(HandleKind kind) = 0;
  /// The program is about to free one; and MPI has.
  virtual void frees(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) = 0;
  virtual void freed(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) = 0;
};

/// Null where no mode watches. Set where `watcher` is (group_call.hpp).
inline HandleWatcher* handle_watcher = nullptr;

}  // namespace lapwing::sets
