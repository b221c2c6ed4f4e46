/* SPDX-License-Identifier: Apache-2.0
 * The commonest hang there is: a reduction in a branch that not all processes
 * take. Processes without any of the particles have nothing to sum up and go on;
 * the others wait for them for ever. */
#include <mpi.h>
#include <stdio.h>

static double mean_energy(int particles, double energy) {
  double local[2], all[2] = {0, 0};
  if (particles > 0) {
    local[0] = particles;
    local[1] = energy;
    MPI_Allreduce(local, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all[1] / all[0];
  }
  return 0;
}

int main(int argc, char** argv) {
  int rank, size, particles;
  double mean, largest;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  particles = rank % 3 == 2 ? 0 : 10 + rank; /* rank 2, 5, ... have none */
  mean = mean_energy(particles, particles * (1.0 + rank));
  MPI_Reduce(&mean, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("hang: mean energy %.6f of %d processes\n", largest, size);
  MPI_Finalize();
  return 0;
}
