/* SPDX-License-Identifier: Apache-2.0
 * The iterations one part after the other, each timed; the messages of an
 * iteration all at once. The sums over all ranks belong to the rest. */
#include <stdlib.h>

#include "cg/cg.h"

uint64_t cg_run_limit(const cg_task* task, int n, const cg_block* block, double* x, kernel_phases* phases) {
  const int rows = block->rows, width = block->width, first = block->first;
  double *p = malloc(sizeof(double) * rows), *q = malloc(sizeof(double) * rows);
  double *r = malloc(sizeof(double) * rows), *ghost = calloc(2 * (size_t)width, sizeof(double));
  double *down = malloc(sizeof(double) * width), *up = malloc(sizeof(double) * width);
  if (!p || !q || !r || !ghost || !down || !up) kernel_fail("cg", "not enough memory for this class.");
  uint64_t received = 0;
  *phases = (kernel_phases){0, 0, 0, 0};

  for (int step = 0; step < task->steps; ++step) {
    double rest = -MPI_Wtime();
    for (int i = 0; i < rows; ++i) {
      p[i] = r[i] = x[i] + cg_source(first + i);
      x[i] = 0.0;
    }
    double rho = cg_dot(first, rows, n, r, r);

    for (int iteration = 0; iteration < CG_ITERATIONS; ++iteration) {
      for (int i = 0; i < width; ++i) down[i] = p[i];
      for (int i = 0; i < width; ++i) up[i] = p[rows - width + i];
      rest += MPI_Wtime();
      MPI_Barrier(MPI_COMM_WORLD);

      const double ready = MPI_Wtime();
      MPI_Request requests[4];
      MPI_Irecv(ghost, width, MPI_DOUBLE, block->below, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(ghost + width, width, MPI_DOUBLE, block->above, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(up, width, MPI_DOUBLE, block->above, 1, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(down, width, MPI_DOUBLE, block->below, 2, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      const double arrived = MPI_Wtime();
      cg_multiply(0, rows, block->local.begin, block->local.column, block->local.value, p, q);
      const double computed = MPI_Wtime();

      if (block->below != MPI_PROC_NULL) received = kernel_fold(received, ghost, width);
      if (block->above != MPI_PROC_NULL) received = kernel_fold(received, ghost + width, width);
      cg_multiply_add(rows, block->remote.begin, block->remote.column, block->remote.value, ghost, q);
      const double alpha = rho / cg_dot(first, rows, n, p, q);
      for (int i = 0; i < rows; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
      const double rho_before = rho;
      rho = cg_dot(first, rows, n, r, r);
      const double beta = rho / rho_before;
      for (int i = 0; i < rows; ++i) p[i] = r[i] + beta * p[i];

      const double transfer = arrived - ready, compute = computed - arrived;
      rest -= computed;
      phases->compute += compute;
      phases->transfer += transfer;
      phases->limit += compute > transfer ? compute : transfer;
    }
    phases->rest += rest + MPI_Wtime();
  }
  phases->limit += phases->rest;
  free(p), free(q), free(r), free(ghost), free(down), free(up);
  return received;
}
