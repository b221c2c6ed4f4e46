/* SPDX-License-Identifier: Apache-2.0
 * Calls of many kinds on buffers whose last message may still be on its way;
 * prints what came of them. The output must not depend on Lapwing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 18 };

static int rank, other;
static double a[N], b[N];

static void fill(double* x, double from) {
  for (int i = 0; i < N; ++i) x[i] = from + i % 1000;
}

static double sum(const double* x) {
  double s = 0;
  for (int i = 0; i < N; ++i) s += x[i] * (1 + i % 7);
  return s;
}

/* Rank 1 has a message in `a` that it has not looked at. */
static void fresh(int tag) {
  if (rank == 0) fill(a, tag);
  if (rank == 0) MPI_Send(a, N, MPI_DOUBLE, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(a, N, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void say(const char* what) {
  double mine[2] = {sum(a), sum(b)}, all[4];
  MPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %.17g %.17g %.17g %.17g\n", what, all[0], all[1], all[2], all[3]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  MPI_Request request;
  MPI_Status status;
  int counts[2] = {N / 2, N / 2}, at[2] = {0, N / 2}, position = 0, n = 0;

  fresh(1);
  MPI_Bcast(a, N, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  say("bcast");
  fresh(2);
  MPI_Allreduce(a, b, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  say("allreduce");
  fresh(3);
  MPI_Allreduce(MPI_IN_PLACE, a, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  say("allreduce in place");
  fresh(4);
  MPI_Gather(a, N / 2, MPI_DOUBLE, b, N / 2, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  say("gather");
  fresh(5);
  MPI_Alltoall(a, N / 2, MPI_DOUBLE, b, N / 2, MPI_DOUBLE, MPI_COMM_WORLD);
  say("alltoall");
  fresh(6);
  MPI_Allgatherv(a, N / 2, MPI_DOUBLE, b, counts, at, MPI_DOUBLE, MPI_COMM_WORLD);
  say("allgatherv");
  fresh(7);
  MPI_Ibcast(a, N, MPI_DOUBLE, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  say("ibcast");
  fresh(8);
  MPI_Pack(a, N - 1, MPI_DOUBLE, b, N * (int)sizeof(double), &position, MPI_COMM_WORLD);
  say("pack");
  fresh(9);
  MPI_Sendrecv(a, N, MPI_DOUBLE, other, 9, b, N, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &n);
  say("sendrecv");
  fresh(10);
  if (rank == 1) fill(a, 77);
  MPI_Barrier(MPI_COMM_WORLD);
  say("overwrite");
  fresh(11);
  MPI_Reduce_local(a, b, N, MPI_DOUBLE, MPI_SUM);
  say("reduce_local");
  if (rank == 0) printf("count %d\n", n);
  MPI_Finalize();
  return 0;
}
