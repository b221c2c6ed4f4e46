// SPDX-License-Identifier: Apache-2.0
#include "mpi/spare_core.hpp"

#include <sched.h>

#include <vector>

#include "progress/cores.hpp"
#include "progress/helper.hpp"

namespace lapwing::mpi {

bool find_spare_core(MPI_Comm node) {
  int ranks = 0;
  PMPI_Comm_size(node, &ranks);
  const cpu_set_t own = progress::processors_of_process();
  std::vector<cpu_set_t> bound(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&own, sizeof own, MPI_BYTE, bound.data(), sizeof own, MPI_BYTE, node);
  cpu_set_t taken;
  CPU_ZERO(&taken);
  for (const cpu_set_t& each : bound) CPU_OR(&taken, &taken, &each);
  cpu_set_t free = progress::processors_of_node();
  CPU_OR(&free, &free, &taken);
  CPU_XOR(&free, &free, &taken);
  const bool are_free = CPU_COUNT(&free) > 0;
  if (are_free) {
    cpu_set_t near = progress::processors_near(own);
    CPU_AND(&near, &near, &free);
    progress::place_helper(CPU_COUNT(&near) > 0 ? near : free);
  }
  int spare = progress::cores_of_node() > ranks && (are_free || progress::cores_of_process() > 1);
  PMPI_Allreduce(MPI_IN_PLACE, &spare, 1, MPI_INT, MPI_LAND, node);
  return spare;
}

}  // namespace lapwing::mpi
