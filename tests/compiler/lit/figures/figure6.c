// SPDX-License-Identifier: Apache-2.0
// Figure 6 of Das: a wait in L1, inside L2; the buffer is used in L1'. The
// wait goes to the exit of L2, the ancestor of L1 below the interval that holds
// both: behind the loops it comes from and before the one that uses the buffer.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<aggressive>' | FileCheck %s
#include <mpi.h>

static double buffer[20000], work[20000], sum[20000];
#define PART static __attribute__((noinline)) void
PART compute(int i) { for (int k = 0; k < 20000; ++k) work[k] = work[k] * 0.5 + i; }
PART use(int i) { for (int k = 0; k < 20000; ++k) buffer[k] += sum[k] * i; }

// CHECK-LABEL: define {{.*}}@l3(
// Behind L2, before the loop that uses the buffer.
// CHECK: for.cond9.preheader:
// CHECK: icmp ne i32
// CHECK: call void @lapwing_drain(
// Inside nothing is waited for.
// CHECK: for.body4:
// CHECK: call ptr @lapwing_start_send(
// CHECK-NEXT: call void @lapwing_push(
// CHECK-NEXT: call void @compute(
// CHECK: for.body12:
// CHECK-NEXT: call void @use(
// CHECK-NOT: call void @lapwing_drain(
void l3(int n, int peer) {
  for (int j = 0; j < n; ++j) {      // L2
    for (int i = 0; i < n; ++i) {    // L1
      MPI_Send(buffer, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
      compute(i);
    }
  }
  for (int i = 0; i < n; ++i) use(i);  // L1'
}
