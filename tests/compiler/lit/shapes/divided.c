// SPDX-License-Identifier: Apache-2.0
// A Waitall for a receive and a send: the receive is waited for where it stands, the send further down. Not where an
// index is not known, or where an element may be either.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing,verify -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>&1 | FileCheck %s
#include <mpi.h>

static double in[20000], out[20000], work[20000];
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + in[i]

// CHECK: MPI_Waitall at divided.c:[[#@LINE+5]] is moved: its wait stands at divided.c:[[#@LINE+7]] (a write to `out`)
void stage(int peer) {
  MPI_Request r[3];
  MPI_Irecv(in, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  WORK;
  out[0] = work[3];
}

// CHECK: MPI_Waitall: stopped at divided.c:[[#@LINE+6]]: a read of `in`
void unknown(int peer, int which) {
  MPI_Request r[2];
  MPI_Irecv(in, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[which]);
  MPI_Isend(out, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1 - which]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  WORK;
  out[0] = work[3];
}

// CHECK: MPI_Waitall: stopped at divided.c:[[#@LINE+10]]: a read of `in`
void either(int peer, int sends) {
  MPI_Request r[2];
  MPI_Irecv(in, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  if (sends) {
    MPI_Isend(out, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  } else {
    MPI_Irecv(out, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  }
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  WORK;
  out[0] = work[3];
}

// CHECK-LABEL: define {{.*}}@stage
// CHECK: call i32 @MPI_Waitall(i32 1, ptr
// CHECK: call void @lapwing_reach(i32 1, ptr %[[SEND:[0-9a-z.]+]])
// CHECK: call i32 @MPI_Waitall(i32 1, ptr %[[SEND]],
