// SPDX-License-Identifier: Apache-2.0
// What is refused, by name; and how exceptions leave sets.
//
// RUN: %cxx_ir %s -o - | %sets -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
#include <mpi.h>
#include <setjmp.h>
#include <stdexcept>

struct Guard {
  ~Guard();
};
void may_throw(int);
jmp_buf back;

// A jump may come back: the function is left alone, its calls are marked.
// CHECK-LABEL: define {{.*}}@_Z7returnsi(
// CHECK-NOT: lapwing_sets_split
// CHECK: lapwing_sets_call
// CHECK: ret void
void returns(int rank) {
  // REMARK-DAG: refused.cpp:[[@LINE-1]]:{{.*}} no splits in this function: a jump may come back to its setjmp
  if (setjmp(back)) return;
  if (rank) MPI_Barrier(MPI_COMM_WORLD);
}

// CHECK-LABEL: define {{.*}}@_Z8computedi(
// CHECK: ret void
void computed(int rank) {
  static void* to[] = {&&one, &&two};
  // REMARK-DAG: no split at refused.cpp:[[@LINE+1]]: a computed goto says no branch by number
  goto* to[rank];
one:
  MPI_Barrier(MPI_COMM_WORLD);
two:
  return;
}

// An exception that passes through leaves the sets of this function.
// CHECK-LABEL: define {{.*}}@_Z6passesi(
// CHECK: %[[depth:.*]] = call i32 @lapwing_sets_enter()
// CHECK: call void @lapwing_sets_split(
// CHECK: invoke void @_Z9may_throwi(
// CHECK: call void @lapwing_sets_leave(i32 %[[depth]])
// CHECK-NEXT: ret void
// CHECK: call void @lapwing_sets_leave(i32 %[[depth]])
// CHECK-NEXT: resume
void passes(int rank) {
  Guard guard;
  if (rank) {
    may_throw(rank);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// One that is caught leaves what the call has split, and the scope of the branch.
// CHECK-LABEL: define {{.*}}@_Z7catchesi(
// CHECK: %lapwing.depth = call i32 @lapwing_sets_enter()
// CHECK: %[[before:.*]] = call i32 @lapwing_sets_enter()
// CHECK-NEXT: store i32 %[[before]], ptr %[[slot:.*]], align
// CHECK-NEXT: invoke void @_Z9may_throwi(
// CHECK-NEXT: to label %[[returned:.*]] unwind
// CHECK: [[returned]]:
// CHECK-NEXT: call void @lapwing_sets_leave(i32 %[[before]])
// CHECK: landingpad
// CHECK: %[[was:.*]] = load i32, ptr %[[slot]]
// CHECK-NEXT: call void @lapwing_sets_leave(i32 %[[was]])
// CHECK-NEXT: call void @lapwing_sets_merge(ptr @[[site:.*]])
// CHECK: if.end:
// CHECK-NEXT: call void @lapwing_sets_merge(ptr @[[site]])
void catches(int rank) {
  try {
    if (rank) {
      may_throw(rank);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  } catch (...) {
    // REMARK-DAG: no split for the call at refused.cpp:[[@LINE+1]]: only processes that caught an exception come to it
    MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

// Within the scope, it stays open.
// CHECK-LABEL: define {{.*}}@_Z12catches_theni(
// CHECK: landingpad
// CHECK: call void @lapwing_sets_leave(
// CHECK-NEXT: extractvalue
void catches_then(int rank) {
  if (rank) {
    try {
      may_throw(rank);
    } catch (...) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
