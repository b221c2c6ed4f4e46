/* SPDX-License-Identifier: Apache-2.0
 * Large messages go one way and short answers the other; each message is used some time after it has come. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { length = 1 << 20, rounds = 250, before_sending = 2000, before_use = 4000 }; /* bytes; microseconds */

static void take(char* buffer, const char* how) {
  if (strcmp(how, "blocking") == 0) {
    MPI_Recv(buffer, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request request;
  MPI_Irecv(buffer, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
  if (strcmp(how, "wait") == 0) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* buffer = NULL;
  if (argc != 2 || posix_memalign((void**)&buffer, 4096, length) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  memset(buffer, 0, length);
  long sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (rank == 0) {
      usleep(before_sending);
      memset(buffer, round % 100 + 1, length);
      MPI_Send(buffer, length, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&sum, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      take(buffer, argv[1]);
      usleep(before_use);
      for (int i = 0; i < length; ++i) sum += buffer[i];
      MPI_Send(&sum, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
    }
  }
  if (rank == 0) printf("sum %ld\n", sum);
  free(buffer);
  MPI_Finalize();
  return 0;
}
