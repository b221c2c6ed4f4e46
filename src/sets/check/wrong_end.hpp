// SPDX-License-Identifier: Apache-2.0
// Programs that are checked and call MPI before MPI_Init or after MPI_Finalize, or end without the latter.
//
// MPI ends such a process by exit(), from inside of the call: what is left to do is to look at the stack when
// the library is unloaded, after everything of the program's.
#pragma once

namespace lapwing::sets {

class WrongEnd {
 public:
  /// MPI_Init, which this process has called before. Does not return where this is checked.
  static void at_second_init();
  /// All processes have come to their end, and MPI_Finalize was called by none.
  static void expect_finalize() { expected_ = true; }
  /// The library goes.
  static void look();

 private:
  static inline bool expected_ = false;
};

}  // namespace lapwing::sets
