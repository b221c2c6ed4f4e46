// SPDX-License-Identifier: Apache-2.0
// Two threads of a process that order themselves by messages alone. Two ranks.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { many = 400000 };
static double a[many], g[many];
static MPI_Comm self;

static void* other(void* unused) {
  int token[4];
  double s = 0;
  MPI_Recv(token, 4, MPI_INT, 0, 5, self, MPI_STATUS_IGNORE);
  for (int k = 0; k < many; ++k) a[k] = 7 * token[0];
  MPI_Recv(token, 4, MPI_INT, 0, 6, self, MPI_STATUS_IGNORE);
  for (int k = 0; k < many; ++k) s += token[0] * g[k];
  printf("read behind a message: %.4f\n", s);
  return unused;
}

int main(int argc, char** argv) {
  int level, rank;
  static int token[4] = {1, 0, 0, 0};
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_SELF, &self);
  if (rank == 0) {
    pthread_t thread;
    for (int k = 0; k < many; ++k) a[k] = 1;
    pthread_create(&thread, NULL, other, NULL);
    MPI_Send(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    MPI_Send(token, 4, MPI_INT, 0, 5, self);
    for (int round = 0; round < 100; ++round)
      for (int k = 0; k < many; ++k) g[k] = g[k] * 0.5 + k % (round + 2);
    MPI_Send(token, 4, MPI_INT, 0, 6, self);
    pthread_join(thread, NULL);
  } else {
    double s = 0;
    usleep(300000);
    MPI_Recv(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < many; ++k) s += a[k];
    printf("written behind a message: %.1f\n", s);
  }
  MPI_Comm_free(&self);
  MPI_Finalize();
  return 0;
}
