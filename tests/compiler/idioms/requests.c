// SPDX-License-Identifier: Apache-2.0
// Right programs about requests and statuses of which there are several, each of which
// the pass once took for another. Two ranks; rank 0 does what is looked at.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "message.h"

enum { rounds = 6 };
static double a[many], b[many], work[many];
static int pool[64];
static int rank, more;  // `more` is none, which the compiler does not know

// A receiver that is late.
static void take(const char* what, int messages) {
  for (int k = 0; k < messages; ++k) {
    usleep(50000);
    MPI_Recv(a, many, MPI_DOUBLE, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s %d: %.1f\n", what, k, sum(a));
  }
}

// One of an array is made null between the starts of two others.
__attribute__((noinline)) static void null_between(void) {
  MPI_Request requests[3];
  fill(a, -5);
  MPI_Irecv(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &requests[1]);
  requests[0] = MPI_REQUEST_NULL;
  MPI_Irecv(b, many, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  printf("null between: %.1f %.1f\n", sum(a), sum(b));
}

// A row of requests, each made null behind the wait for it.
__attribute__((noinline)) static void row(int n) {
  MPI_Request requests[rounds + 1];
  fill(a, 1);
  MPI_Isend(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &requests[0]);
  for (int i = 0; i < n; ++i) {
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    fill(b, i + 2);
    MPI_Isend(b, many, MPI_DOUBLE, 1, i + 1, MPI_COMM_WORLD, &requests[i + 1]);
    requests[i] = MPI_REQUEST_NULL;
  }
  MPI_Wait(&requests[n], MPI_STATUS_IGNORE);
}

// One of two, of which the second begins to live when the first is started.
__attribute__((noinline)) static void chosen(int other) {
  fill(a, 1);
  fill(b, 2);
  MPI_Request one;
  MPI_Isend(a, many, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &one);
  MPI_Request two;
  MPI_Isend(b, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &two);
  MPI_Wait(other ? &two : &one, MPI_STATUS_IGNORE);
  if (!other) fill(a, 7);
  MPI_Wait(other ? &one : &two, MPI_STATUS_IGNORE);
}

// Each round's status is read in the next.
__attribute__((noinline)) static void statuses(int n) {
  MPI_Status all[rounds];
  unsigned tags = 0;
  for (int i = 0; i < n; ++i) {
    MPI_Status* mine = &all[i];
    if (i & 1) {
      MPI_Recv(a, many, MPI_DOUBLE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, mine);
      for (int k = 0; k <= i; ++k) tags = tags * 31 + (unsigned)all[k].MPI_TAG;
    } else {
      MPI_Recv(b, many, MPI_DOUBLE, 1, MPI_ANY_TAG, MPI_COMM_WORLD, mine);
      for (int k = 0; k < many; ++k) work[k] = work[k] * 0.5 + k % (i + 2);
      work[0] += b[0];
    }
  }
  printf("statuses: %u %.1f\n", tags, sum(work));
}

// A status at an address that was calculated.
__attribute__((noinline)) static void calculated(void) {
  MPI_Status* status = (MPI_Status*)((uintptr_t)pool + 32);
  MPI_Recv(a, many, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status);
  for (int k = 1; k < many; ++k) work[k] = work[k] * 0.5 + work[k - 1] * 0.25;
  printf("calculated: from %d tag %d\n", status->MPI_SOURCE, status->MPI_TAG);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  more = argc - 1;
  if (rank == 0) {
    null_between();
    row(rounds + more);
    chosen(more);
    statuses(rounds + more);
    calculated();
  } else {
    usleep(100000);
    fill(a, 0);
    fill(b, 1);
    MPI_Send(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Send(b, many, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
    take("row", rounds + 1);
    take("chosen", 2);
    for (int i = 0; i < rounds; ++i) MPI_Send(b, many, MPI_DOUBLE, 0, i + 10, MPI_COMM_WORLD);
    MPI_Send(b, many, MPI_DOUBLE, 0, 8, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
