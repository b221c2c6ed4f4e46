// SPDX-License-Identifier: Apache-2.0
// The steps one part after the other, each timed; the messages of a step all
// at once, since nothing but the link limits how they travel.
#include <algorithm>
#include <utility>

#include "heat/heat.hpp"

namespace heat {

std::uint64_t run_limit(const Block& block, const Task& task, kernel_phases& phases, double* now,
                        double* next, double* out_n, double* out_s, double* out_w, double* out_e,
                        double* in_n, double* in_s, double* in_w, double* in_e) {
  const int w = block.w, h = block.h;
  const int* to = block.neighbour;
  std::uint64_t received = 0;
  phases = {};
  for (int step = 0; step < task.steps; ++step) {
    const double start = MPI_Wtime();
    pack(block, now, out_n, out_s, out_w, out_e);
    const double packed = MPI_Wtime();
    MPI_Barrier(MPI_COMM_WORLD);

    const double ready = MPI_Wtime();
    MPI_Request requests[8];
    MPI_Irecv(in_n, w, MPI_DOUBLE, to[north], 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(in_s, w, MPI_DOUBLE, to[south], 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Irecv(in_w, h, MPI_DOUBLE, to[west], 3, MPI_COMM_WORLD, &requests[2]);
    MPI_Irecv(in_e, h, MPI_DOUBLE, to[east], 4, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(out_s, w, MPI_DOUBLE, to[south], 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Isend(out_n, w, MPI_DOUBLE, to[north], 2, MPI_COMM_WORLD, &requests[5]);
    MPI_Isend(out_e, h, MPI_DOUBLE, to[east], 3, MPI_COMM_WORLD, &requests[6]);
    MPI_Isend(out_w, h, MPI_DOUBLE, to[west], 4, MPI_COMM_WORLD, &requests[7]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    const double arrived = MPI_Wtime();

    update_interior(block, now, next, 1, h - 1, task.work);
    const double computed = MPI_Wtime();
    received = fold(block, received, in_n, in_s, in_w, in_e);
    update_edges(block, now, next, in_n, in_s, in_w, in_e, task.work);
    std::swap(now, next);

    const double rest = packed - start + MPI_Wtime() - computed;
    phases.compute += computed - arrived;
    phases.transfer += arrived - ready;
    phases.rest += rest;
    phases.limit += rest + std::max(computed - arrived, arrived - ready);
  }
  return received;
}

}  // namespace heat
