// SPDX-License-Identifier: Apache-2.0
// Messages that lie in a window: once a send is over, another process is told that it
// may put there; once a receive is, that it may get from there. Three ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

static double a[many];

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, token = 0;
  double* shown;
  MPI_Win window;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(rank == 0 ? many * 8 : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &window);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    for (int k = 0; k < many; ++k) shown[k] = 1;
    MPI_Win_unlock(0, window);
  }
  for (int k = 0; k < many; ++k) a[k] = 7;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Send(shown, many, MPI_DOUBLE, 2, 1, MPI_COMM_WORLD);
    MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(a, many, MPI_DOUBLE, 0, 0, many, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
    MPI_Send(&token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  } else {
    usleep(300000);
    MPI_Recv(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("put behind a send: %.1f\n", sum(a));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(shown, many, MPI_DOUBLE, 2, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&token, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(a, many, MPI_DOUBLE, 0, 0, many, MPI_DOUBLE, window);
    MPI_Win_unlock(0, window);
    printf("got behind a receive: %.1f\n", sum(a));
  } else {
    for (int k = 0; k < many; ++k) a[k] = 140;
    usleep(100000);
    MPI_Send(a, many, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
