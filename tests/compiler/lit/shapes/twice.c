// SPDX-License-Identifier: Apache-2.0
// The pass may run twice, as it does where a plugin is loaded for the compile
// step and for the link step: nothing changes the second time.
//
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing' %t.ll | %clean > %t.once
// RUN: %lapwing -passes='lapwing,lapwing' %t.ll | %clean > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s --input-file=%t.once
#include <mpi.h>

static double a[20000], b[20000], work[20000];
#define WORK for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1

// CHECK-LABEL: define {{.*}}@both(
// CHECK: call ptr @lapwing_pair_send
// CHECK-NOT: @lapwing
// CHECK: call ptr @lapwing_pair_recv
// CHECK: call void @lapwing_wait
double both(int peer) {
  MPI_Sendrecv(a, 20000, MPI_DOUBLE, peer, 0, b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  WORK;
  return b[3];
}

// CHECK-LABEL: define {{.*}}@own(
// CHECK: call void @lapwing_defer
// CHECK-NOT: call void @lapwing_defer
// CHECK: call void @lapwing_retire
// CHECK-NOT: call void @lapwing_retire
// CHECK: ret double
double own(int peer) {
  MPI_Request r;
  MPI_Irecv(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  WORK;
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  double x = b[3];
  WORK;
  return x;
}
