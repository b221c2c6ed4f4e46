// SPDX-License-Identifier: Apache-2.0
// heat_plain rewritten by hand so that messages travel while the interior is
// computed: everything non-blocking, the interior in slabs, and a look after
// the messages between slabs so that they move.
#include <algorithm>
#include <utility>

#include "heat/heat.hpp"

namespace heat {

const char* const variant = "hand";

std::uint64_t run(const Block& block, const Task& task, double* __restrict now, double* __restrict next,
                  double* __restrict out_n, double* __restrict out_s, double* __restrict out_w,
                  double* __restrict out_e, double* __restrict in_n, double* __restrict in_s,
                  double* __restrict in_w, double* __restrict in_e) {
  const int w = block.w, h = block.h;
  const int* to = block.neighbour;
  const int rows = std::max(1, (h - 2) / task.slabs);
  std::uint64_t received = 0;
  MPI_Request requests[8];
  for (int step = 0; step < task.steps; ++step) {
    MPI_Irecv(in_n, w, MPI_DOUBLE, to[north], 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in_s, w, MPI_DOUBLE, to[south], 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(in_w, h, MPI_DOUBLE, to[west], 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(in_e, h, MPI_DOUBLE, to[east], 4, MPI_COMM_WORLD, &requests[3]);
    pack(block, now, out_n, out_s, out_w, out_e);
    if (task.spoil && step == 0) out_s[w / 2] += 0.5;
    MPI_Isend(out_s, w, MPI_DOUBLE, to[south], 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(out_n, w, MPI_DOUBLE, to[north], 2, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(out_e, h, MPI_DOUBLE, to[east], 3, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(out_w, h, MPI_DOUBLE, to[west], 4, MPI_COMM_WORLD, &requests[7]);

    int arrived = 0;
    for (int from = 1; from < h - 1; from += rows) {
      update_interior(block, now, next, from, std::min(from + rows, h - 1), task.work);
      if (!arrived) MPI_Testall(8, requests, &arrived, MPI_STATUSES_IGNORE);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    received = fold(block, received, in_n, in_s, in_w, in_e);
    update_edges(block, now, next, in_n, in_s, in_w, in_e, task.work);
    std::swap(now, next);
  }
  return received;
}

}  // namespace heat
