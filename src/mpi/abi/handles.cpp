// SPDX-License-Identifier: Apache-2.0
#include "mpi/handles.hpp"

#include <mpi.h>

#include <cstring>

namespace lapwing::mpi {

const Family family = Family::abi;
const char* const sonames[] = {"libmpi_abi.so.1", nullptr};

// Numbers, which the standard fixes.
void bind_handles(void*, Lookup*) {}

// The ABI says how calls are made, not how errors are raised nor how a process starts.
bool is_tried_member() {
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return false;
  constexpr const char* tried[] = {"MPICH", "Intel(R) MPI", "MVAPICH"};
  for (const char* name : tried)
    if (std::strstr(text, name)) return true;
  return false;
}

}  // namespace lapwing::mpi
