// SPDX-License-Identifier: Apache-2.0
// Persistent receives, small and large, whose statuses are printed: an MPI may end such a request when it is
// looked at.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { small = 2048, large = 1 << 18, rounds = 20 };

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char *out = calloc(large, 1), *in[2] = {calloc(small, 1), calloc(large, 1)};
  MPI_Request requests[2];
  MPI_Recv_init(in[0], small, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in[1], large, MPI_BYTE, 1 - rank, 6, MPI_COMM_WORLD, &requests[1]);
  for (int round = 0; round < rounds; ++round) {
    MPI_Startall(2, requests);
    out[0] = out[large - 1] = (char)(round + 1);
    MPI_Request sends[2];
    MPI_Isend(out, small, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(out, large, MPI_BYTE, 1 - rank, 6, MPI_COMM_WORLD, &sends[1]);
    MPI_Barrier(MPI_COMM_WORLD);  // the small one is here when the wait begins
    for (int left = 2, counts[2] = {0, 0}; left > 0; --left) {
      MPI_Status status;
      int which = -1;
      MPI_Waitany(2, requests, &which, &status);
      if (which < 0 || which > 1) {
        printf("round %d: index %d\n", round, which);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      MPI_Get_count(&status, MPI_BYTE, &counts[which]);
      if (status.MPI_SOURCE != 1 - rank || status.MPI_TAG != 5 + which ||
          counts[which] != (which ? large : small) || in[which][0] != (char)(round + 1)) {
        printf("round %d: source %d, tag %d, %d bytes, %d\n", round, status.MPI_SOURCE, status.MPI_TAG,
               counts[which], in[which][0]);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
    }
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int i = 0; i < 2; ++i) MPI_Request_free(&requests[i]);
  if (rank == 0) printf("right\n");
  MPI_Finalize();
  return 0;
}
