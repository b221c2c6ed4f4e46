/* SPDX-License-Identifier: Apache-2.0
 * A refinement loop: processes converge at different iterations, and those that
 * still iterate reduce among themselves. A process that has converged leaves the
 * loop, and all meet behind it.
 *
 * Hangs in plain MPI; right with lwcc --sets=run. refine_explicit.c is the same
 * with communicators. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "refine_step.h"

int main(int argc, char** argv) {
  int rank, size, right;
  long active, one = 1, mine = 0, iterations, expected_iterations;
  double x, sum, expected;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  x = start_of(rank);
  while (is_rough(x, target_of(rank))) {
    MPI_Allreduce(&one, &active, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    x = step_of(x, target_of(rank), active);
    ++mine;
  }
  MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &iterations, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  expected = simulated(size, &expected_iterations);
  right = fabs(sum - expected) < 1e-9 && iterations == expected_iterations;
  if (rank == 0)
    printf("refine: %ld iterations, sum %.9f, %s\n", iterations, sum, right ? "verified" : "WRONG");
  MPI_Finalize();
  return right ? 0 : 1;
}
