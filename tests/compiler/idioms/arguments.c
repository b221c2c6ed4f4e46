// SPDX-License-Identifier: Apache-2.0
// An exchange whose tags come from the message and from the status of the round before. Two ranks, one of
// them slower.
#include <mpi.h>
#include <stdio.h>

enum { many = 100000, rounds = 6 };
static int a[many], b[many], sums[rounds + 1];
static double work[2000];

static void busy(double* restrict w, int turns) {
  for (int turn = 0; turn < turns; ++turn)
    for (int i = 1; i < 2000; ++i) w[i] = .5 * w[i] + .25 * w[i - 1] + 1;
}

__attribute__((noinline)) static void by_message(int rank, int* restrict out, int* restrict in,
                                                 double* restrict w, int* restrict sum) {
  for (int k = 0; k < rounds; ++k) {
    busy(w, rank == 1 ? 10000 : 1000);
    sum[k] = in[5] + in[6];
    MPI_Sendrecv(out, many, MPI_INT, (rank + 1) % 2, in[0], in, many, MPI_INT, MPI_ANY_SOURCE, k,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    out[0] = k + 2;
    out[5] = k + 1;
  }
  sum[rounds] = in[5];
}

__attribute__((noinline)) static void by_status(int rank, int* restrict out, int* restrict in,
                                                double* restrict w, int* restrict sum) {
  MPI_Status status;
  status.MPI_TAG = 99;
  for (int k = 0; k < rounds; ++k) {
    busy(w, rank == 1 ? 10000 : 1000);
    sum[k] = in[5] + in[6];
    busy(w, 100);
    MPI_Sendrecv(out, many, MPI_INT, (rank + 1) % 2, status.MPI_TAG + 1, in, many, MPI_INT, MPI_ANY_SOURCE,
                 k + 100, MPI_COMM_WORLD, &status);
    out[5] = k + 1;
  }
  sum[rounds] = in[5] + status.MPI_TAG;
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  a[0] = 1;
  by_message(rank, a, b, work, sums);
  for (int k = 0; k <= rounds; ++k) printf("message %d %d: %d\n", rank, k, sums[k]);
  by_status(rank, a, b, work, sums);
  for (int k = 0; k <= rounds; ++k) printf("status %d %d: %d\n", rank, k, sums[k]);
  MPI_Finalize();
  return 0;
}
