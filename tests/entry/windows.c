/* SPDX-License-Identifier: Apache-2.0
 * One-sided transfers of what has just been received, into what has just been
 * sent. The output must not depend on Lapwing. */
#include <mpi.h>
#include <stdio.h>

enum { N = 1 << 18 };

static double a[N], b[N];

int main(int argc, char** argv) {
  int rank;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(b, sizeof b, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  for (int round = 0; round < 10; ++round) {
    double sum = 0, all[2];
    if (rank == 0) {
      for (int i = 0; i < N; ++i) a[i] = round + i % 1000;
      MPI_Send(a, N, MPI_DOUBLE, 1, round, MPI_COMM_WORLD);
    } else {
      MPI_Recv(a, N, MPI_DOUBLE, 0, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Put(a, N, MPI_DOUBLE, 0, 0, N, MPI_DOUBLE, window);
    }
    MPI_Win_fence(0, window);
    for (int i = 0; i < N; ++i) sum += b[i] * (1 + i % 7);
    MPI_Gather(&sum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("put %d %.17g %.17g\n", round, all[0], all[1]);
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
