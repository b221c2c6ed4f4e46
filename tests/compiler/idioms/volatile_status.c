// SPDX-License-Identifier: Apache-2.0
// A status that is read by volatile and atomic accesses only. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "work.h"

enum { many = 400000 };
static double a[many], work[work_length];
static volatile MPI_Status last;
__attribute__((noinline)) static int copied(void) {
  MPI_Status status;
  MPI_Recv(a, many, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  work_on(work, 1000);
  last = status;
  return last.MPI_TAG;
}
__attribute__((noinline)) static int once(void) {
  MPI_Status status;
  MPI_Recv(a, many, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  work_on(work, 1000);
  return *(volatile int*)&status.MPI_TAG;
}
__attribute__((noinline)) static int atomically(void) {
  MPI_Status status;
  MPI_Recv(a, many, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  work_on(work, 1000);
  return __atomic_load_n(&status.MPI_TAG, __ATOMIC_RELAXED);
}
__attribute__((noinline)) static int waited(void) {
  MPI_Status status;
  MPI_Request request;
  MPI_Irecv(a, many, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  work_on(work, 1000);
  last = status;
  return last.MPI_TAG;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("copied %d\n", copied());
    printf("once %d\n", once());
    printf("atomically %d\n", atomically());
    printf("waited %d\n", waited());
    printf("%.1f %.1f\n", a[5], work[7]);
  } else {
    for (int k = 0; k < 4; ++k) {
      for (int i = 0; i < many; ++i) a[i] = k;
      usleep(100000);
      MPI_Send(a, many, MPI_DOUBLE, 0, 71 + k, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
