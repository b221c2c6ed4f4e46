// SPDX-License-Identifier: Apache-2.0
// The time loop as most are written: exchange, then compute.
#include <utility>

#include "heat/heat.hpp"

namespace heat {

const char* const variant = "plain";

std::uint64_t run(const Block& block, const Task& task, double* __restrict now, double* __restrict next,
                  double* __restrict out_n, double* __restrict out_s, double* __restrict out_w,
                  double* __restrict out_e, double* __restrict in_n, double* __restrict in_s,
                  double* __restrict in_w, double* __restrict in_e) {
  const int w = block.w, h = block.h;
  const int* to = block.neighbour;
  std::uint64_t received = 0;
  for (int step = 0; step < task.steps; ++step) {
    pack(block, now, out_n, out_s, out_w, out_e);
    if (task.spoil && step == 0) out_s[w / 2] += 0.5;

    // Everybody hands a row or column one way, then the other.
    MPI_Sendrecv(out_s, w, MPI_DOUBLE, to[south], 1, in_n, w, MPI_DOUBLE, to[north], 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out_n, w, MPI_DOUBLE, to[north], 2, in_s, w, MPI_DOUBLE, to[south], 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out_e, h, MPI_DOUBLE, to[east], 3, in_w, h, MPI_DOUBLE, to[west], 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(out_w, h, MPI_DOUBLE, to[west], 4, in_e, h, MPI_DOUBLE, to[east], 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);

    update_interior(block, now, next, 1, h - 1, task.work);
    received = fold(block, received, in_n, in_s, in_w, in_e);
    update_edges(block, now, next, in_n, in_s, in_w, in_e, task.work);
    std::swap(now, next);
  }
  return received;
}

}  // namespace heat
