// SPDX-License-Identifier: Apache-2.0
// Calls on windows that Lapwing notes as they pass: which windows exist, which targets this process has
// locked, and which accesses it has begun.
#pragma once

#include <cstdint>

#include "entry/arguments.hpp"
#include "entry/group_spec.hpp"

namespace lapwing::entry {

/// Whether the call reads or changes memory of a window.
bool is_access(const GroupSpec& group);

/// Whether such a call is to be noted in this job. Settled at the end of MPI_Init.
bool notes_window_call(const GroupSpec& group);

/// One call that is noted, from before it is made.
class WindowCall {
 public:
  WindowCall(const GroupSpec& group, const Arguments& arguments);
  /// It has returned, after so many nanoseconds. May communicate, over the communicator of a window that has
  /// just been made.
  void returned(bool success, std::uint64_t took);

 private:
  void made() const;
  MPI_Win made_window() const;

  const GroupSpec& group_;
  const Arguments& arguments_;
};

}  // namespace lapwing::entry
