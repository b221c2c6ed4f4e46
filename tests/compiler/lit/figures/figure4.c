// SPDX-License-Identifier: Apache-2.0
// Figures 2, 4 and 5 of Das (MG's comm3 with give3 and take3 inlined):
// two conditional blocking sends of one buffer. The first one's wait sinks to
// before the branch that fills the buffer again, the second one's past take3 to
// the end of the loop, each under its flag.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=gate=off %lapwing -passes='lapwing<conservative>' | FileCheck %s
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
// CHECK: call void @fill
// (1)
// CHECK: call ptr @lapwing_start_send(ptr @buff, i32 20000, i32 {{[0-9]+}}, i32 {{.*}}, i32 1,
// CHECK-NOT: call void @fill
// (2)
// CHECK: %lapwing.is_pending{{[0-9]*}} = icmp ne ptr %lapwing.pending
// CHECK: call void @lapwing_wait
// CHECK: call void @fill
// (3)
// CHECK: call ptr @lapwing_start_send(ptr @buff, i32 20000, i32 {{[0-9]+}}, i32 {{.*}}, i32 2,
// CHECK-NOT: call void @lapwing_wait
// CHECK: call void @take3
// CHECK: call void @take3
// (4)
// CHECK: %lapwing.is_pending{{[0-9]*}} = icmp ne ptr %lapwing.pending
// CHECK: call void @lapwing_wait
// CHECK: br label %for.cond,
