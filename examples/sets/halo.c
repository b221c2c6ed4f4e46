/* SPDX-License-Identifier: Apache-2.0
 * Declared communication: cells on a ring of processes. Each step declares what it receives and sends, and
 * computes; the transfers take place when both sides can. `lwcc --declared` puts in the waits before the
 * program touches what was declared, so the inner cells are computed while the outer ones travel.
 *
 *   lwcc --declared examples/sets/halo.c -o halo && mpiexec -n 2 ./halo [STEPS]     any number of processes
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "lapwing/declare.h"

enum { cells = 50, to_left = 1, to_right = 2 };

static double first_value(int cell) { return cell * cell % 17; }
static double mean(double left, double self, double right) { return 0.25 * left + 0.5 * self + 0.25 * right; }

/* The same by one process, on the whole ring: 1 where my cells differ. */
static int differs(const double* mine, int rank, int size, int steps) {
  const int all = size * cells;
  double *now = malloc((size_t)all * sizeof *now), *next = malloc((size_t)all * sizeof *next), *swapped;
  int i, step, wrong = 0;
  for (i = 0; i < all; ++i) now[i] = first_value(i);
  for (step = 0; step < steps; ++step) {
    for (i = 0; i < all; ++i) next[i] = mean(now[(i + all - 1) % all], now[i], now[(i + 1) % all]);
    swapped = now;
    now = next;
    next = swapped;
  }
  for (i = 0; i < cells; ++i) wrong |= mine[i] != now[rank * cells + i];
  free(now);
  free(next);
  return wrong;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 20;
  double u[cells + 2], next[cells + 2]; /* the outer ones belong to the neighbours */
  int rank, size, left, right, i, step, wrong, any;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  for (i = 1; i <= cells; ++i) u[i] = first_value(rank * cells + i - 1);
  for (step = 0; step < steps; ++step) {
    lapwing_declare_send(&u[1], 1, MPI_DOUBLE, left, to_left, MPI_COMM_WORLD);
    lapwing_declare_send(&u[cells], 1, MPI_DOUBLE, right, to_right, MPI_COMM_WORLD);
    lapwing_declare_recv(&u[0], 1, MPI_DOUBLE, left, to_right, MPI_COMM_WORLD);
    lapwing_declare_recv(&u[cells + 1], 1, MPI_DOUBLE, right, to_left, MPI_COMM_WORLD);
    for (i = 2; i < cells; ++i) next[i] = mean(u[i - 1], u[i], u[i + 1]);
    next[1] = mean(u[0], u[1], u[2]);
    next[cells] = mean(u[cells - 1], u[cells], u[cells + 1]);
    for (i = 1; i <= cells; ++i) u[i] = next[i];
  }
  lapwing_complete();
  wrong = differs(u + 1, rank, size, steps);
  MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("halo: %d steps on %d processes, %s\n", steps, size, any ? "WRONG" : "verified");
  MPI_Finalize();
  return wrong;
}
