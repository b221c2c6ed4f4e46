// SPDX-License-Identifier: Apache-2.0
// MPICH, by its own ABI or the standard one: how it may be initialised.
#include "mpi/launch.hpp"

#include <mpi.h>
#include <strings.h>

#include <cstdlib>
#include <utility>

namespace lapwing::mpi {

// One that speaks PMIx is linked with its library.
const char* pmix_to_come() { return nullptr; }

bool may_raise_thread_level(std::string*) { return true; }

int default_thread_level() {
  constexpr std::pair<const char*, int> levels[] = {{"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE},
                                                    {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                                                    {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED}};
  for (const char* name :
       {"MPICH_DEFAULT_THREAD_LEVEL", "MPIR_PARAM_DEFAULT_THREAD_LEVEL", "MPIR_CVAR_DEFAULT_THREAD_LEVEL"}) {
    const char* given = std::getenv(name);
    for (const auto& [level, value] : levels)
      if (given && strcasecmp(given, level) == 0) return value;
  }
  return MPI_THREAD_SINGLE;
}

void prepare() {}

}  // namespace lapwing::mpi
