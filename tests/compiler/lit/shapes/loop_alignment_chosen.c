// SPDX-License-Identifier: Apache-2.0
// A loop whose author chose where it is placed keeps that, in a module that the pass changes as well.
//
// REQUIRES: code_align
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing,verify' %t.ll | FileCheck %s
#include <mpi.h>

static double a[20000], b[20000];

// CHECK-LABEL: define {{.*}}@sum(
// CHECK: call i32 @MPI_Irecv
// CHECK: br label %{{.*}}, !llvm.loop ![[LOOP:[0-9]+]]
// CHECK: call i32 @MPI_Wait
// CHECK: ret double
// CHECK-NOT: !"llvm.loop.align", i32 64
// CHECK: !"llvm.loop.align", i32 128
// CHECK-NOT: !"llvm.loop.align", i32 64
double sum(int peer) {
  MPI_Request request;
  MPI_Irecv(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  double sum = 0;
  [[clang::code_align(128)]] for (int i = 0; i < 20000; ++i) sum += a[i] * a[i];
  return sum + b[3];
}
