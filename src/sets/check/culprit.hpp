// SPDX-License-Identifier: Apache-2.0
// Which call of the program's has led into MPI, seen from inside of it.
#pragma once

#include <string>

namespace lapwing::sets {

struct Culprit {
  std::string call;                  ///< "MPI_Recv" for all names of its entry points; "" for none
  const void* returns_to = nullptr;  ///< into the program
};

/// From the innermost frame that is not MPI's, Lapwing's or the C library's.
Culprit find_culprit();

}  // namespace lapwing::sets
