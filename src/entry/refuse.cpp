// SPDX-License-Identifier: Apache-2.0
#include "entry/refuse.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "transfer/places.hpp"

namespace lapwing::entry {

void refuse(const char* routine, const void* returns_to, const std::string& why) {
  fmt::print(stderr, "lapwing: {} at {}: {}.\n", routine, transfer::place_of(returns_to).site, why);
  std::fflush(stderr);
  int initialised = 0, finalised = 0;
  PMPI_Initialized(&initialised);
  PMPI_Finalized(&finalised);
  if (initialised && !finalised) PMPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace lapwing::entry
