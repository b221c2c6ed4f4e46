// SPDX-License-Identifier: Apache-2.0
// Sends that nobody has waited for when their buffers are written again, since their
// receiver has answered; and what a send's wait leaves of a status. Two ranks; what rank
// 1 gets is looked at.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

enum { rounds = 3 };
static double a[many], answer[many], work[many];
static int rank;

static void take_answer(void) { MPI_Recv(answer, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

// The wait comes when all is over.
__attribute__((noinline)) static void waits_at_the_end(int k) {
  MPI_Request request;
  MPI_Isend(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  fill(work, k);
  take_answer();
  fill(a, k + 7);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// One request for all rounds, of which only the last is waited for.
__attribute__((noinline)) static void waits_for_the_last(int n) {
  MPI_Request request;
  for (int k = 0; k < n; ++k) {
    fill(a, k);
    MPI_Isend(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    take_answer();
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// A persistent one, and an answer that is waited for.
__attribute__((noinline)) static void persistent(int n) {
  MPI_Request send, receive;
  MPI_Send_init(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &send);
  for (int k = 0; k < n; ++k) {
    MPI_Irecv(answer, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &receive);
    MPI_Start(&send);
    fill(work, k);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    fill(a, k + 20);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
}

// Right by the letter: its answer may come later.
__attribute__((noinline)) static void waits_before(int k) {
  MPI_Request request;
  MPI_Isend(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  take_answer();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  fill(a, k);
}

__attribute__((noinline)) static void leaves_status(void) {
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(work, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(answer, many, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Wait(&request, &status);
  fill(work, 3);
#ifdef MPICH_VERSION  // MPI calls it undefined here; MPICH leaves it alone
  printf("0: tag %d\n", status.MPI_TAG);
#else
  printf("0: %.1f\n", sum(work));
#endif
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int n = rounds + argc - 1;
  if (rank == 0) {
    fill(a, 1);
    waits_at_the_end(1);
    waits_for_the_last(n);
    persistent(n);
    waits_before(4);
    leaves_status();
    printf("0: %.1f %.1f %.1f\n", sum(a), sum(answer), sum(work));
  } else {
    for (int k = 0; k < 2 * n + 3; ++k) {
      usleep(100000);  // late, and its answer too
      MPI_Recv(a, k < 2 * n + 2 ? many : 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      printf("1: %d %.1f\n", k, sum(a));
      MPI_Send(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return 0;
}
