// SPDX-License-Identifier: Apache-2.0
// A kind of collective stays as it is where one call of it is not seen, or where
// its result may change.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing-whole,verify -pass-remarks-missed=lapwing 2>%t.txt | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.txt
// RUN: %openmpi_ir %s -o - | %clean | %lapwing -passes=lapwing-whole,verify | FileCheck %s
// CHECK-NOT: @lapwing_start_
// CHECK-NOT: @lapwing_call_
#include <mpi.h>

static int a[40000], b[40000];
static double x[40000], y[40000], work[40000];
#define WORK \
  for (int i = 0; i < 40000; ++i) work[i] = work[i] * 0.5 + 1

// Its address is taken: who calls it by that is not seen.
// REMARK: MPI_Bcast: some calls of it are not seen
int (*by_pointer)(void*, int, MPI_Datatype, int, MPI_Comm) = MPI_Bcast;
int address_taken(void) {
  MPI_Bcast(a, 40000, MPI_INT, 0, MPI_COMM_WORLD);
  WORK;
  return a[7];
}

// A sum of floating-point numbers depends on the order.
// REMARK: MPI_Allreduce: its result may depend on the order of the operations
double floating_sum(void) {
  MPI_Allreduce(x, y, 40000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  WORK;
  return y[7];
}

// The profiling interface has another name.
int profiled(void) {
  MPI_Allgather(b, 100, MPI_INT, a, 100, MPI_INT, MPI_COMM_WORLD);
  WORK;
  int other = PMPI_Allgather(b, 100, MPI_INT, a, 100, MPI_INT, MPI_COMM_WORLD);
  return a[7] + other;
}

// The program has its own.
int MPI_Alltoall(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c) {
  a[0] = n;
  return PMPI_Alltoall(s, n, t, r, m, u, c);
}
int own(void) {
  MPI_Alltoall(b, 100, MPI_INT, a, 100, MPI_INT, MPI_COMM_WORLD);
  WORK;
  return a[7];
}

// Nothing to hide behind; barriers, scans and the like are never split.
int nothing(void) {
  MPI_Gather(b, 100, MPI_INT, a, 100, MPI_INT, 0, MPI_COMM_WORLD);
  return a[7];
}
int others(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  WORK;
  MPI_Scan(b, a, 40000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  WORK;
  return a[7];
}

// No object that could be followed.
int absolute(MPI_Datatype type) {
  MPI_Scatter(b, 100, MPI_INT, MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  WORK;
  return a[7];
}
// REQUIRES: openmpi
