// SPDX-License-Identifier: Apache-2.0
// Loops that a transfer crosses poll: of a nest the loop around the innermost one, once a round, counted in a
// register, by a call that keeps all others.
//
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing,verify' %t.ll | FileCheck %s
// RUN: %lapwing -passes='lapwing,lapwing,verify' %t.ll | FileCheck %s
//
// What the large code model calls may be bound at its first run, and the registers are lost.
// RUN: %ir -mcmodel=large -fno-pic %s -o - | %clean > %t.large.ll
// RUN: %lapwing -passes='lapwing,verify' %t.large.ll | FileCheck %s --check-prefix=LARGE
// LARGE: call i32 @lapwing_poll(
// LARGE-NOT: preserve_allcc
#include <mpi.h>

#define N 300
static double a[20000], b[20000], work[N][N][N];

// CHECK-LABEL: define {{.*}}@nest(
// CHECK: call ptr @lapwing_pair_send
// CHECK: call ptr @lapwing_pair_recv
// CHECK: %lapwing.left{{.*}} = phi i32 [ 1, %{{.*}} ]
// CHECK: %[[NOW:.*]] = sub i32 %{{lapwing.*}}, 1
// CHECK: %[[POLLS:.*]] = icmp eq i32 %[[NOW]], 0
// CHECK: br i1 %[[POLLS]]
// CHECK: call preserve_allcc i32 @lapwing_poll(
// CHECK-NOT: call preserve_allcc i32 @lapwing_poll(
// CHECK: call void @lapwing_wait
// CHECK: ret double
double nest(int peer) {
  MPI_Sendrecv(a, 20000, MPI_DOUBLE, peer, 0, b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      for (int k = 0; k < N; ++k) work[i][j][k] = work[i][j][k] * 0.5 + 1;
      for (int k = 1; k < N; ++k) work[i][j][k] += work[i][j][k - 1];
    }
  return b[3];
}

// A loop of its own is to be vectorised.
// CHECK-LABEL: define {{.*}}@single(
// CHECK-NOT: @lapwing_poll
// CHECK: ret double
double single(int peer) {
  MPI_Sendrecv(a, 20000, MPI_DOUBLE, peer, 0, b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; ++i) work[0][0][i] = work[0][0][i] * 0.5 + 1;
  return b[3];
}

// Bound when the program is loaded: what binds a call when it first runs does not keep the registers.
// CHECK: declare preserve_allcc i32 @lapwing_poll(ptr) #[[KEEPS:[0-9]+]]
// CHECK: attributes #[[KEEPS]] = { {{.*}}nonlazybind
