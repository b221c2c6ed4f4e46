// SPDX-License-Identifier: Apache-2.0
// Two ranks exchange large messages and print a sum of all that they have received.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { numbers = 1 << 18, rounds = 8 };

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *out = malloc(numbers * sizeof *out), *in = malloc(numbers * sizeof *in);
  unsigned long sum = 1469598103934665603ul, all = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < numbers; ++i) out[i] = rank * 1e6 + i * 0.5 + round;
    MPI_Status status;
    int count = 0;
    if (rank == 0) MPI_Send(out, numbers, MPI_DOUBLE, 1, round, MPI_COMM_WORLD);
    MPI_Recv(in, numbers, MPI_DOUBLE, 1 - rank, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    if (rank == 1) MPI_Send(out, numbers, MPI_DOUBLE, 0, round, MPI_COMM_WORLD);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    sum ^= (unsigned long)count * 31 + (unsigned long)status.MPI_TAG;
    for (int i = 0; i < numbers; ++i) {
      unsigned long bits;
      memcpy(&bits, &in[i], sizeof bits);
      sum = (sum ^ bits) * 1099511628211ul;
    }
  }
  MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %lx\n", all);
  MPI_Finalize();
  return 0;
}
