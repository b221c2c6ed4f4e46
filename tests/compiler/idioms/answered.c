// SPDX-License-Identifier: Apache-2.0
// An exchange in a loop, whose message of the round before is read above it, behind work: the next send must
// not leave before that is over, for its receiver may answer where this receive takes from anybody. Three
// ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

enum { many = 100000, rounds = 3 };
static double a[many], b[many], work[work_length], sums[rounds + 1];

__attribute__((noinline)) static void exchange(double* restrict out, double* restrict in, double* restrict w,
                                               double* restrict sum) {
  for (int k = 0; k < rounds; ++k) {
    work_on(w, 5000);
    sum[k] = in[5];
    MPI_Sendrecv(out, many, MPI_DOUBLE, 2, 7, in, many, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    out[k] = k;
  }
  sum[rounds] = in[5];
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    exchange(a, b, work, sums);
    for (int k = 0; k <= rounds; ++k) printf("%d: %.0f\n", k, sums[k]);
  } else if (rank == 1) {  // answers the first round, late
    usleep(700000);
    for (int i = 0; i < many; ++i) a[i] = 100;
    MPI_Send(a, many, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  } else {  // answers the others
    for (int k = 0; k < rounds; ++k) {
      MPI_Recv(b, many, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < many; ++i) a[i] = 200 + k;
      if (k) MPI_Send(a, many, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
