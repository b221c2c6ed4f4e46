/* SPDX-License-Identifier: Apache-2.0
 * refine.c in plain MPI: before each iteration those that go on make a
 * communicator, and those that leave must still take part in making it. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

#include "refine_step.h"

int main(int argc, char** argv) {
  int rank, size, right, rough;
  long active, one = 1, mine = 0, iterations, expected_iterations;
  double x, sum, expected;
  MPI_Comm refining, next;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  x = start_of(rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &refining);
  for (;;) {
    rough = is_rough(x, target_of(rank));
    MPI_Comm_split(refining, rough ? 1 : MPI_UNDEFINED, rank, &next);
    MPI_Comm_free(&refining);
    refining = next;
    if (!rough) break;
    MPI_Allreduce(&one, &active, 1, MPI_LONG, MPI_SUM, refining);
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
