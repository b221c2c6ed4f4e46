// SPDX-License-Identifier: Apache-2.0
// Calls whose tags come from the message or from the status of the round before. Two ranks, one of them
// slower.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

enum { many = 100000, rounds = 6 };
static int a[many], b[many], sums[rounds + 1];
static double work[work_length];

__attribute__((noinline)) static void by_message(int rank, int* restrict out, int* restrict in,
                                                 double* restrict w, int* restrict sum) {
  for (int k = 0; k < rounds; ++k) {
    work_on(w, rank == 1 ? 10000 : 1000);
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
    work_on(w, rank == 1 ? 10000 : 1000);
    sum[k] = in[5] + in[6];
    work_on(w, 100);
    MPI_Sendrecv(out, many, MPI_INT, (rank + 1) % 2, status.MPI_TAG + 1, in, many, MPI_INT, MPI_ANY_SOURCE,
                 k + 100, MPI_COMM_WORLD, &status);
    out[5] = k + 1;
  }
  sum[rounds] = in[5] + status.MPI_TAG;
}

// The tag is read behind the very send before which the message of the round before must have come.
__attribute__((noinline)) static void by_answer(int* restrict out, int* restrict in, double* restrict w,
                                                int* restrict sum) {
  for (int k = 0; k < rounds; ++k) {
    MPI_Send(out, many, MPI_INT, 0, 3, MPI_COMM_WORLD);
    const int tag = in[0];
    MPI_Recv(in, many, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int turn = 0; turn < 50; ++turn)
      for (int i = 0; i < 2000; ++i) w[i] += .5 * i + turn;
    out[k] = k;
  }
  *sum = in[0];
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
  b[0] = 0;
  if (rank == 1) {
    by_answer(a, b, work, sums);
    printf("answer: %d\n", sums[0]);
  } else {
    for (int k = 0; k < rounds; ++k) {
      MPI_Recv(b, many, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      usleep(20000);
      a[0] = (k + 1) * 7;
      MPI_Send(a, many, MPI_INT, 1, k * 7, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
