/* SPDX-License-Identifier: Apache-2.0
 * cg_plain rewritten by hand so that messages travel while the block's own part
 * of the product is formed, in slabs, with a look after the messages between
 * them. */
#include <stdlib.h>

#include "cg/cg.h"

const char* const cg_variant = "hand";

uint64_t cg_run(const cg_task* task, int n, int first, int rows, int width, int below, int above,
                const int* restrict local_begin, const int* restrict local_column,
                const double* restrict local_value, const int* restrict remote_begin,
                const int* restrict remote_column, const double* restrict remote_value, double* restrict x) {
  double *p = malloc(sizeof(double) * rows), *q = malloc(sizeof(double) * rows);
  double *r = malloc(sizeof(double) * rows), *ghost = calloc(2 * (size_t)width, sizeof(double));
  double *down = malloc(sizeof(double) * width), *up = malloc(sizeof(double) * width);
  if (!p || !q || !r || !ghost || !down || !up) kernel_fail("cg", "not enough memory for this class.");
  const int slab = rows / task->slabs > 0 ? rows / task->slabs : 1;
  uint64_t received = 0;

  for (int step = 0; step < task->steps; ++step) {
    for (int i = 0; i < rows; ++i) {
      p[i] = r[i] = x[i] + cg_source(first + i);
      x[i] = 0.0;
    }
    double rho = cg_dot(first, rows, n, r, r);

    for (int iteration = 0; iteration < CG_ITERATIONS; ++iteration) {
      MPI_Request requests[4];
      MPI_Irecv(ghost, width, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(ghost + width, width, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[1]);
      for (int i = 0; i < width; ++i) down[i] = p[i];
      for (int i = 0; i < width; ++i) up[i] = p[rows - width + i];
      if (task->spoil && step == 0 && iteration == 0) up[width / 2] += 0.5;
      MPI_Isend(up, width, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(down, width, MPI_DOUBLE, below, 2, MPI_COMM_WORLD, &requests[3]);

      int arrived = 0;
      for (int from = 0; from < rows; from += slab) {
        cg_multiply(from, from + slab < rows ? from + slab : rows, local_begin, local_column, local_value, p,
                    q);
        if (!arrived) MPI_Testall(4, requests, &arrived, MPI_STATUSES_IGNORE);
      }
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
      if (below != MPI_PROC_NULL) received = kernel_fold(received, ghost, width);
      if (above != MPI_PROC_NULL) received = kernel_fold(received, ghost + width, width);
      cg_multiply_add(rows, remote_begin, remote_column, remote_value, ghost, q);

      const double alpha = rho / cg_dot(first, rows, n, p, q);
      for (int i = 0; i < rows; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
      const double rho_before = rho;
      rho = cg_dot(first, rows, n, r, r);
      const double beta = rho / rho_before;
      for (int i = 0; i < rows; ++i) p[i] = r[i] + beta * p[i];
    }
  }
  free(p), free(q), free(r), free(ghost), free(down), free(up);
  return received;
}
