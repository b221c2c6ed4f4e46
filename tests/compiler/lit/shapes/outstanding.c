// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 with several outstanding at once: the waits of a loop's sends, of
// which nothing in the loop writes to the buffers, leave the loop. Each start's
// token goes into the queue (Rid, i_cnt and w_cnt), and behind the
// loop all that are left are waited for.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<aggressive>' | FileCheck %s
#include <mpi.h>

static double blocks[8][20000], work[20000];

// CHECK-LABEL: define {{.*}}@scatters(
// CHECK: %lapwing.Rid = alloca
// CHECK: store i32 0, ptr %lapwing.i_cnt
// CHECK: store i32 0, ptr %lapwing.w_cnt
// CHECK: [[TOKEN:%[a-z.0-9]+]] = call ptr @lapwing_start_send(
// CHECK-NEXT: call void @lapwing_push(ptr %lapwing.Rid, ptr [[TOKEN]])
// CHECK-NOT: call void @lapwing_drain
// CHECK: br label %for.cond
// CHECK: for.end
// CHECK: icmp ne i32
// CHECK: call void @lapwing_drain(ptr %lapwing.Rid)
void scatters(int n) {
  for (int p = 0; p < n; ++p) {
    MPI_Send(blocks[p], 20000, MPI_DOUBLE, p, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + p;
  }
}
