// SPDX-License-Identifier: Apache-2.0
// The address of an element of a global is a constant expression, and an object
// like any other; only numbers that were made pointers are none.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
#include <mpi.h>

static double a[40000], work[20000];
static MPI_Request requests[2];
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1

// CHECK: MPI_Send at inside_global.c:[[#@LINE+3]] is split: its wait stands at inside_global.c:[[#@LINE+5]] (a call that may write to `a`
// CHECK: MPI_Recv at inside_global.c:[[#@LINE+4]] is split
void receives_into_it(int peer) {
  MPI_Send(&a[2], 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  WORK;
  MPI_Recv(&a[10000], 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  WORK;
}

// Both requests are waited for, and both buffers in flight.
// CHECK: MPI_Waitall at inside_global.c:[[#@LINE+5]] is moved: its wait stands at inside_global.c:[[#@LINE+7]] (a read of `a`
double waits_for_both(int peer) {
  static double b[20000];
  MPI_Irecv(&a[1], 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  WORK;
  return a[5];
}
