// SPDX-License-Identifier: Apache-2.0
// A child of fork() computes, in loops that poll elsewhere, while its parent's receive
// is in flight. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "message.h"

static double in[many], out[many], table[100];
static int rank;

__attribute__((noinline)) static double work(int talks, int rounds) {
  if (talks) MPI_Recv(in, many, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < rounds; ++i)
    for (int j = 0; j < 100; ++j) table[j] = table[j] * 0.5 + i + j;
  return in[3] + table[4];
}

__attribute__((noinline)) static void parent(void) {
  MPI_Request request;
  MPI_Irecv(in, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
  const pid_t child = fork();
  if (child == 0) _exit(work(0, 5000000) == 0);
  int ended = -1;
  waitpid(child, &ended, 0);
  for (int i = 0; i < 100; ++i) table[i] = i;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("received %.1f, the child ended with %d\n", sum(in), ended);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fill(out, argc);
  if (rank == 0) {
    parent();
    MPI_Send(out, many, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
  } else {
    usleep(100000);
    MPI_Send(out, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    printf("then %.1f\n", work(1, 1000));
  }
  MPI_Finalize();
  return 0;
}
