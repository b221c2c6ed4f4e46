/* SPDX-License-Identifier: Apache-2.0
 * prefix.c in plain MPI: the set of each call is a communicator, which the
 * author makes, numbers, passes down and frees. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static long prefix(MPI_Comm comm, long mine) {
  int me, members;
  long sum, total;
  MPI_Comm half;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  const int middle = (members + 1) / 2;
  if (members == 1) return mine;
  MPI_Comm_split(comm, me < middle, me, &half);
  sum = prefix(half, mine);
  MPI_Comm_free(&half);
  total = sum;
  MPI_Bcast(&total, 1, MPI_LONG, middle - 1, comm);
  return me < middle ? sum : sum + total;
}

int main(int argc, char** argv) {
  long sum, right, all;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sum = prefix(MPI_COMM_WORLD, (long)rank * rank + 1);
  right = sum == (long)rank * (rank + 1) * (2 * rank + 1) / 6 + rank + 1;
  MPI_Allreduce(&right, &all, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  MPI_Bcast(&sum, 1, MPI_LONG, size - 1, MPI_COMM_WORLD);
  if (rank == 0) printf("prefix: sum of %d processes %ld, %s\n", size, sum, all ? "verified" : "WRONG");
  MPI_Finalize();
  return all ? 0 : 1;
}
