/* SPDX-License-Identifier: Apache-2.0
 * Upper/lower parallel prefix: both halves of the processes compute the prefix
 * sums of their own, recursively, and the total of the lower half is then added
 * in the upper one. Written as one would like to: every broadcast is on
 * MPI_COMM_WORLD and means the processes that run this call.
 *
 * Wrong in plain MPI; right with lwcc --sets=run. prefix_explicit.c is the same
 * with communicators. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

/* The sum of the values of processes `low` to this one, which is below `high`. */
static long prefix(int low, int high, long mine) {
  const int middle = (low + high + 1) / 2;
  long sum, total;
  if (high - low == 1) return mine;
  if (rank < middle)
    sum = prefix(low, middle, mine);
  else
    sum = prefix(middle, high, mine);
  total = sum;
  MPI_Bcast(&total, 1, MPI_LONG, middle - 1, MPI_COMM_WORLD);
  return rank < middle ? sum : sum + total;
}

int main(int argc, char** argv) {
  long sum, right, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sum = prefix(0, size, (long)rank * rank + 1);
  right = sum == (long)rank * (rank + 1) * (2 * rank + 1) / 6 + rank + 1;
  MPI_Allreduce(&right, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  MPI_Bcast(&sum, 1, MPI_LONG, size - 1, MPI_COMM_WORLD);
  if (rank == 0) printf("prefix: sum of %d processes %ld, %s\n", size, sum, all ? "verified" : "WRONG");
  MPI_Finalize();
  return all ? 0 : 1;
}
