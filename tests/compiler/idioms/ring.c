// SPDX-License-Identifier: Apache-2.0
// A ring whose two buffers change places: what is received in one round goes where the
// round before sent from, while unrelated work stands above the exchange. Rank 1 is late in
// some rounds, so that its neighbour's send is under way for long. Four ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

enum { rounds = 9, many = 100000 };
static double work[work_length], sums[rounds];

static void ring(int rank, int ranks, double* restrict w, double* restrict sum) {
  const int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  double *now = malloc(sizeof(double[many])), *next = malloc(sizeof(double[many]));
  for (int i = 0; i < many; ++i) {
    now[i] = rank * 1000 + i % 97;
    next[i] = -1;
  }
  for (int k = 0; k < rounds; ++k) {
    work_on(w, rank == 1 && k % 3 == 1 ? 40000 : 20);
    MPI_Sendrecv(now, many, MPI_DOUBLE, right, 7, next, many, MPI_DOUBLE, left, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    double s = next[many - 1] * 0.;
    for (int i = 0; i < many; ++i) s += next[i];
    sum[k] = s;
    double* t = now;
    now = next;
    next = t;
  }
  free(now);
  free(next);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ring(rank, ranks, work, sums);
  for (int k = 0; k < rounds; ++k) printf("%d %d: %.0f\n", rank, k, sums[k]);
  MPI_Finalize();
  return 0;
}
