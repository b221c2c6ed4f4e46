// SPDX-License-Identifier: Apache-2.0
// A receive that gives more room than its variable has: the most that may come, as some read a count. MPI
// asks for the room; what comes fits. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"
#include "work.h"

static double in[many], out[many], work[work_length];

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < 3; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Recv(in, 2 * many, MPI_DOUBLE, 1, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      work_on(work, 200);
      printf("%d: %.0f\n", k, sum(in));
    } else {
      fill(out, k);
      usleep(100000);
      MPI_Send(out, many, MPI_DOUBLE, 0, k, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
