// SPDX-License-Identifier: Apache-2.0
#include "mpi/parting.hpp"

#include <mpi.h>

#include <vector>

namespace lapwing::mpi {
namespace {

constexpr int most_processes = 256;

bool is_on_one_node(int processes) {
  MPI_Comm node = MPI_COMM_NULL;
  int near = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(node, &near);
  PMPI_Comm_free(&node);
  return near == processes;
}

}  // namespace

void make_connections_whole() {
  int processes = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (processes > most_processes || is_on_one_node(processes)) return;
  MPI_Comm all = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &all);
  // Not a collective, which may leave pairs out.
  const auto count = static_cast<std::size_t>(processes);
  std::vector<char> in(count);
  const char out = 0;
  std::vector<MPI_Request> requests(2 * count, MPI_REQUEST_NULL);
  for (int r = 0; r < processes; ++r)
    PMPI_Irecv(&in[static_cast<std::size_t>(r)], 1, MPI_CHAR, r, 0, all,
               &requests[static_cast<std::size_t>(r)]);
  for (int r = 0; r < processes; ++r)
    PMPI_Isend(&out, 1, MPI_CHAR, r, 0, all, &requests[count + static_cast<std::size_t>(r)]);
  PMPI_Waitall(2 * processes, requests.data(), MPI_STATUSES_IGNORE);
  PMPI_Comm_free(&all);
}

}  // namespace lapwing::mpi
