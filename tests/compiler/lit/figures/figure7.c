// SPDX-License-Identifier: Apache-2.0
// Figure 7 of Das: the sends of figure 4 after the aggressive algorithm.
// Each wait stands, guarded, before the code that fills the buffer again, in
// whatever round of the loop that is, and what is left is waited for behind the
// loop.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<aggressive>' | FileCheck %s
#include <mpi.h>

double buff[20000], u[20000], other[20000];
#define PART static __attribute__((noinline)) void

PART fill(int axis) {
  for (int i = 0; i < 20000; ++i) buff[i] = u[i] * axis;
}
PART take3(int axis) {
  for (int i = 0; i < 20000; ++i) other[i] += buff[i] * axis;
}

void comm3(int rounds, const int* up, const int* down, int peer) {
  for (int axis = 0; axis < rounds; ++axis) {
    if (up[axis]) {
      fill(axis);
      MPI_Send(buff, 20000, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    }
    if (down[axis]) {
      fill(axis + 1);
      MPI_Send(buff, 20000, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD);
    }
    take3(axis);
    take3(axis + 1);
  }
}

// CHECK-LABEL: define {{.*}}@comm3
// Before the first branch's buffer is filled: both guarded waits.
// CHECK: if.then:
// CHECK-COUNT-2: call void @lapwing_wait
// CHECK: call void @fill
// CHECK: call ptr @lapwing_start_send(
// Before the second one's.
// CHECK: if.then{{[0-9]+}}:
// CHECK-COUNT-2: call void @lapwing_wait
// CHECK: call void @fill
// CHECK: call ptr @lapwing_start_send(
// CHECK-NOT: call void @lapwing_wait
// CHECK: call void @take3
// CHECK: call void @take3
// Behind the loop: both, for what was not waited for inside.
// CHECK: for.end:
// CHECK-COUNT-2: call void @lapwing_wait
// CHECK: ret void
