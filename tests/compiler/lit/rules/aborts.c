// SPDX-License-Identifier: Apache-2.0
// Nothing of the program follows MPI_Abort: what stands behind it neither holds a wait up nor changes a request.
//
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing,verify' -pass-remarks=lapwing %t.ll -o %t.once 2>%t.remarks
// RUN: FileCheck %s --input-file=%t.once
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
// RUN: %lapwing -passes='lapwing,lapwing' %t.ll -o - | grep -c "call void @lapwing_aborted" | grep -x 2
#include <mpi.h>

static double a[20000], work[20000];
void change(MPI_Request* all);

// CHECK-LABEL: define {{.*}}@may_end(
// CHECK: call i32 @MPI_Abort(
// CHECK-NEXT: call void @lapwing_aborted()
// CHECK-NEXT: unreachable
// REMARK: MPI_Wait at aborts.c:[[#@LINE+9]] is moved: its wait stands at aborts.c:[[#@LINE+11]] (a write
void may_end(int peer, int bad) {
  MPI_Request r;
  MPI_Isend(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  if (bad) {
    MPI_Abort(MPI_COMM_WORLD, 1);
    change(&r);
  }
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1;
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1;
  a[7] = 1;
}

// The second of two calls in a row goes with all that follows the first.
// CHECK-LABEL: define {{.*}}@ends_twice(
// CHECK: call i32 @MPI_Abort(
// CHECK-NEXT: call void @lapwing_aborted()
// CHECK-NEXT: unreachable
// CHECK-NOT: @MPI_Abort(
// CHECK: }
void ends_twice(int bad) {
  if (bad) {
    MPI_Abort(MPI_COMM_WORLD, 1);
    work[0] = 1;
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}
