// SPDX-License-Identifier: Apache-2.0
// Figure 1 of Das (BT's x_solve): the wait for the last stage's send
// stands far above the next send. It sinks to just before the code that packs
// the next message, past unpacking and solving; the receive's wait stays above
// what unpacks it.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<conservative>' | FileCheck %s
// RUN: %ir %s -o - | %clean | %lapwing -passes='lapwing<aggressive>' | FileCheck %s --check-prefix=AGGRESSIVE
#include <mpi.h>

double in_buffer[20000], out_buffer[20000], lhs[20000], rhs[20000];
#define PART static __attribute__((noinline)) void

PART lhx(int c) {
  for (int i = 0; i < 20000; ++i) lhs[i] = c * 0.5 + lhs[i];
}
PART unpack_solve_info(int c) {
  for (int i = 0; i < 20000; ++i) rhs[i] += out_buffer[i] * c;
}
PART solve_cell(int first, int last) {
  for (int i = 1; i < 20000; ++i) rhs[i] += lhs[i] * (first + last);
}
PART pack(int c) {
  for (int i = 0; i < 20000; ++i) in_buffer[i] = rhs[i] + c;
}

void x_solve(int ncells, const int* slice, int next, int before) {
  MPI_Request send_id = MPI_REQUEST_NULL, recv_id = MPI_REQUEST_NULL;
  for (int stage = 0; stage < ncells; ++stage) {
    const int c = slice[stage], last = stage == ncells - 1, first = stage == 0;
    if (first) {
      lhx(c);
    } else {
      MPI_Irecv(out_buffer, 20000, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &recv_id);
      lhx(c);
      MPI_Wait(&send_id, MPI_STATUS_IGNORE);
      MPI_Wait(&recv_id, MPI_STATUS_IGNORE);
      unpack_solve_info(c);
    }
    solve_cell(first, last);
    if (!last) {
      pack(c);
      MPI_Isend(in_buffer, 20000, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &send_id);
    }
  }
}

// The send's wait is gone from above the receive's, and stands, under its flag,
// between solve_cell and the branch that packs (point 2 of the figure).
// CHECK-LABEL: define {{.*}}@x_solve
// CHECK: call i32 @MPI_Irecv
// CHECK: call void @lhx
// CHECK-NOT: call i32 @MPI_Wait(ptr noundef %send_id
// CHECK: call i32 @MPI_Wait(ptr noundef %recv_id
// CHECK: call void @unpack_solve_info
// CHECK: call void @solve_cell
// CHECK: br i1 {{%lapwing.pending[^ ]*}}, label
// CHECK: call i32 @MPI_Wait(ptr %send_id
// CHECK: call void @pack
// CHECK: call i32 @MPI_Isend

// AGGRESSIVE-LABEL: define {{.*}}@x_solve
// AGGRESSIVE: call i32 @MPI_Wait(ptr noundef %recv_id
// AGGRESSIVE: call void @unpack_solve_info
// AGGRESSIVE: call void @solve_cell
// AGGRESSIVE: call i32 @MPI_Wait(ptr %send_id
// AGGRESSIVE-NEXT: br
// AGGRESSIVE: call void @pack
// AGGRESSIVE: call i32 @MPI_Isend
