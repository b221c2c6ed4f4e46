// SPDX-License-Identifier: Apache-2.0
// Receives whose buffer is too small for a message that Open MPI over TCP asks the receiver about, blocking
// and not. Rank 1 says how many met MPI's error.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { cases = 4 };

int main(int argc, char** argv) {
  static const int sent[cases] = {340000, 340000, 1000000, 4000000};
  static const int room[cases] = {8, 140000, 200000, 3999999};
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, truncated = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* const bytes = calloc(sent[cases - 1], 1);
  for (int i = 0; i < cases; ++i) {
    int rc = MPI_SUCCESS;
    if (rank == 0) {
      MPI_Send(bytes, sent[i], MPI_BYTE, 1, i, MPI_COMM_WORLD);
    } else if (i % 2 == 0) {
      rc = MPI_Recv(bytes, room[i], MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(bytes, room[i], MPI_BYTE, 0, i, MPI_COMM_WORLD, &request);
      rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int kind = MPI_SUCCESS;
    if (rc != MPI_SUCCESS) MPI_Error_class(rc, &kind);
    truncated += kind == MPI_ERR_TRUNCATE;
  }
  if (rank == 1) printf("truncated %d of %d\n", truncated, cases);
  free(bytes);
  MPI_Finalize();
  return 0;
}
