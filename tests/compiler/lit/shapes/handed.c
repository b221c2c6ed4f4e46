// SPDX-License-Identifier: Apache-2.0
// A wait that reaches the end of its function is handed to the callers.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing,verify' | FileCheck %s
#include <mpi.h>

static double a[20000], b[20000], work[20000];

static void compute(void) {
  for (int i = 1; i < 20000; ++i) work[i] = work[i - 1] * 0.5 + 1;
}

// CHECK: @[[SENT:lapwing.handed[.0-9]*]] = internal thread_local(initialexec) global ptr null

__attribute__((noinline)) static void give(double* to, int peer) {
  MPI_Send(to, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
}

// Other files may call this: nothing is in flight when it returns.
// CHECK-LABEL: define {{.*}}@known_to_all(
// CHECK: call i32 @MPI_Send(
void known_to_all(int peer) { MPI_Send(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD); }

// CHECK-LABEL: define {{.*}}@caller(
// CHECK: call {{.*}}@give(
// CHECK: %[[TAKEN:.*]] = load ptr, ptr @[[SENT]]
// CHECK: call {{.*}}@compute(
// CHECK: icmp ne ptr %[[TAKEN]], null
// CHECK: call void @lapwing_wait(
// CHECK: store double 1.000000e+00, ptr getelementptr
void caller(int peer) {
  give(a, peer);
  compute();
  a[7] = 1;
}

// CHECK-LABEL: define internal {{.*}}@give(
// CHECK: %[[TOKEN:.*]] = call ptr @lapwing_start_send(
// CHECK-NOT: @lapwing_wait
// CHECK: store ptr %[[TOKEN]], ptr @[[SENT]]
// CHECK-NEXT: ret void
