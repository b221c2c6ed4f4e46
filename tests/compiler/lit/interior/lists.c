// SPDX-License-Identifier: Apache-2.0
// What a look at index lists has found is remembered where the loop is come to again, until they may have changed.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
#include <mpi.h>

void says(double);

#define EXCHANGE MPI_Recv(x + n, ghosts, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

// Doubles are no integers; a store of an integer asks, and a call that may do anything makes it forget.
void steps(double* restrict x, double* restrict y, const int* list, long n, int ghosts, int peer, int* done) {
  for (int step = 0; step < 100; ++step) {
    EXCHANGE;
    for (long i = 0; i < n; ++i) y[i] = 2 * x[list[i]];
    for (long i = 0; i < n; ++i) x[i] += y[i];
    *done = step;
    if (step % 10 == 9) says(y[0]);
  }
}
// CHECK-LABEL: define {{.*}}@steps(
// CHECK: [[LEFT:%lapwing.left[0-9]*]] = alloca { i64, i64, i64, i64, ptr, i64, i64, i64, i64 }
// CHECK: [[NAME:%.*]] = getelementptr inbounds {{.*}} [[LEFT]], i32 0, i32 8
// CHECK-NEXT: store i64 0, ptr [[NAME]]
// CHECK: call void @lapwing_interior_open(ptr [[LEFT]]
// CHECK: [[KNOWN:%.*]] = call i32 @lapwing_interior_recall(ptr [[LEFT]], ptr [[NUMBERS:%.*]], i64 {{[0-9]+}})
// CHECK: [[TRUTH:%.*]] = icmp ne i32 [[KNOWN]], 0
// CHECK: br i1 [[TRUTH]], label %lapwing.early{{.*}}, label %lapwing.interior
// CHECK: lapwing.remember:
// CHECK: call void @lapwing_interior_remember(ptr [[LEFT]], ptr [[NUMBERS]], i64 {{[0-9]+}}, ptr {{.*}}, i64 1)
// CHECK: lapwing.early:
// CHECK: call { i64, i64 } @lapwing_interior_early(ptr [[LEFT]])
// CHECK: lapwing.again:
// CHECK-NOT: icmp ult
// CHECK: br i1
// CHECK: call { i64, i64 } @lapwing_interior_left(ptr [[LEFT]])
// CHECK: call void @lapwing_interior_written(ptr [[LEFT]], ptr %done, i64 4)
// CHECK: store i64 0, ptr
// CHECK: call void @says(
// REMARK: its lists are looked at when they may have changed

// A file's messages of integers may be the list.
void sent(double* restrict x, double* restrict y, int* list, long n, int ghosts, int peer) {
  for (int step = 0; step < 100; ++step) {
    MPI_Recv(list, 5, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXCHANGE;
    for (long i = 0; i < n; ++i) y[i] = 2 * x[list[i]];
  }
}
// CHECK-LABEL: define {{.*}}@sent(
// CHECK-NOT: lapwing_interior_recall
// REMARK: its lists are looked at each time: a message may change them at lists.c:[[#@LINE-7]]

void renewed(double* restrict x, double* restrict y, int* list, long n, int ghosts, int peer) {
  for (int step = 0; step < 100; ++step) {
    EXCHANGE;
    for (long i = 0; i < n; ++i) y[i] = 2 * x[list[i]];
    for (long i = 0; i < 100; ++i) list[i] = (list[i] + 1) % n;
  }
}
// CHECK-LABEL: define {{.*}}@renewed(
// CHECK-NOT: lapwing_interior_recall
// REMARK: its lists are looked at each time: they may be changed each time at lists.c:[[#@LINE-5]]

void once(double* restrict x, double* restrict y, int* list, long n, int ghosts, int peer) {
  EXCHANGE;
  for (long i = 0; i < n; ++i) y[i] = 2 * x[list[i]];
}
// CHECK-LABEL: define {{.*}}@once(
// CHECK-NOT: lapwing_interior_recall
// CHECK: lapwing.look:
// CHECK: [[GIVEN:%.*]] = call { i64, i64 } @lapwing_interior_look(ptr
// CHECK: [[FROM:%.*]] = extractvalue { i64, i64 } [[GIVEN]], 0
// CHECK: [[TO:%.*]] = extractvalue { i64, i64 } [[GIVEN]], 1
// CHECK: icmp slt i64 [[FROM]], [[TO]]
// CHECK: %lapwing.round{{.*}} = phi i64 [ [[FROM]], %lapwing.interior ]
// REMARK: its lists are looked at each time: no loop of its function comes to it again

// The list is of the type of what the loop writes.
void same(double* restrict x, int* y, int* list, long n, int ghosts, int peer) {
  for (int step = 0; step < 100; ++step) {
    EXCHANGE;
    for (long i = 0; i < n; ++i) y[i] = (int)(2 * x[list[i]]);
  }
}
// CHECK-LABEL: define {{.*}}@same(
// CHECK-NOT: call {{.*}}lapwing_interior_recall
