// SPDX-License-Identifier: Apache-2.0
// Errors that MPI itself finds in a program that is checked: with the call and its
// place, instead of MPI's bare abort.
//
// A handler of ours stands where the program would get MPI_ERRORS_ARE_FATAL; one
// that the program sets takes its place.
#pragma once

#include <mpi.h>

namespace lapwing::sets {

class MpiErrors {
 public:
  /// For MPI_COMM_WORLD and MPI_COMM_SELF, from which all others have it. The latter may follow the former.
  static void start();
  static void watch(MPI_Win win);
  /// The program gets no errors of this window to see.
  static bool reports_window(MPI_Win win);
  static bool reports_comm(MPI_Comm comm);
};

}  // namespace lapwing::sets
