// SPDX-License-Identifier: Apache-2.0
// MPI calls that may throw: a wait stays above them.
//
// RUN: %cxx_ir %s -o - | %clean | %lapwing -passes=lapwing -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
#define MPICH_SKIP_MPICXX
#include <mpi.h>

static double a[20000], b[20000], work[20000];
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1
struct Guard {
  ~Guard() { work[0] = 1; }
};

// CHECK: MPI_Send at exceptions.cpp:[[#@LINE+3]] is split: its wait stands at {{.*}} (an MPI call that may
// throw
void crosses() {
  MPI_Send(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  WORK;
  try {
    MPI_Send(b, 20000, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  } catch (...) {
    work[1] = 2;
  }
  WORK;
}
// CHECK: MPI_Wait: {{.*}}may throw
void waits() {
  MPI_Request r;
  Guard guard;
  MPI_Isend(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  WORK;
}
