// SPDX-License-Identifier: Apache-2.0
// A call whose error the program looks at: split where every error ends the
// job, the program's own call everywhere else.
//
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing,verify' %t.ll | %clean > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: %lapwing -passes='lapwing,lapwing' %t.ll | %clean > %t.twice
// RUN: diff %t.once %t.twice
// RUN: %lapwing -passes=lapwing -pass-remarks=lapwing -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: %openmpi_ir %s -o - | %clean | %lapwing -passes='lapwing,verify' | FileCheck %s --check-prefix=OPENMPI
#include <mpi.h>
#include <stdlib.h>

static double a[20000], b[20000], work[20000];
void report(int error);
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1
#define CHK(call)                      \
  do {                                 \
    const int error = (call);          \
    if (error != MPI_SUCCESS) {        \
      report(error);                   \
      MPI_Abort(MPI_COMM_WORLD, 1);    \
    }                                  \
  } while (0)

// The two ways meet behind the call; on the way of an error there is nothing to
// wait for.
// CHECK-LABEL: define {{.*}}@checked(
// CHECK: [[MAY:%.*]] = call i32 @lapwing_may_split(i32 20000, i32 1275070475, i32 %{{.*}}, i32 1140850688)
// CHECK: [[YES:%.*]] = icmp ne i32 [[MAY]], 0
// CHECK: br i1 [[YES]], label %[[SPLIT:.*]], label %[[OWN:[^,]*]]
// CHECK: [[SPLIT]]:
// CHECK: [[TOKEN:%.*]] = call ptr @lapwing_start_send(
// CHECK: [[OWN]]:
// CHECK: [[RC:%.*]] = call i32 @MPI_Send(
// CHECK: phi ptr [ [[TOKEN]], %[[SPLIT]] ], [ null, %[[OWN]] ]
// CHECK: phi i32 [ [[RC]], %[[OWN]] ], [ 0, %[[SPLIT]] ]
// CHECK-NOT: lapwing_wait
// CHECK: call void @report(
// CHECK: call void @lapwing_wait(
// CHECK-NOT: lapwing_wait
// CHECK: ret void
// REMARK: MPI_Send at errors.c:[[#@LINE+2]] is split where an error would end the job: its wait stands at errors.c:[[#@LINE+4]] (a write
void checked(int peer) {
  CHK(MPI_Send(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD));
  WORK;
  a[7] = 1;
}

// Both halves, or neither; the receiving one is posted before what it does not need.
// CHECK-LABEL: define {{.*}}@pair(
// CHECK: call i32 @lapwing_may_split(
// CHECK: call ptr @lapwing_pair_recv(
// CHECK: call ptr @lapwing_post_send(
// CHECK: call i32 @MPI_Sendrecv(
// CHECK: call void @lapwing_wait(
int pair(int peer, MPI_Comm comm) {
  WORK;
  for (int i = 0; i < 20000; ++i) a[i] = i;
  int rc = MPI_Sendrecv(a, 20000, MPI_DOUBLE, peer, 0, b, 20000, MPI_DOUBLE, peer, 0, comm, MPI_STATUS_IGNORE);
  WORK;
  return rc == MPI_SUCCESS && b[3] == 3;
}

// What stops a wait behind failures only keeps it from going on no more than
// once, and out of no loop; messages of a few bytes are left alone.
// CHECK-LABEL: define {{.*}}@many(
// CHECK: call ptr @lapwing_start_send(
// CHECK: call ptr @lapwing_start_recv_matched(
// CHECK-NOT: call ptr @lapwing_start
// REMARK: MPI_Send at errors.c:[[#@LINE+2]] is split where an error would end the job
void many(int peer) {
  CHK(MPI_Send(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD));
  for (int k = 0; k < peer; ++k) CHK(MPI_Send(work + 1, 1, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD));
  CHK(MPI_Recv(b, 20000, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  CHK(MPI_Send(work + 2, 1, MPI_DOUBLE, peer, 3, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 3, 1, MPI_DOUBLE, peer, 4, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 4, 1, MPI_DOUBLE, peer, 5, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 5, 1, MPI_DOUBLE, peer, 6, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 6, 1, MPI_DOUBLE, peer, 7, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 7, 1, MPI_DOUBLE, peer, 8, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 8, 1, MPI_DOUBLE, peer, 9, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 9, 1, MPI_DOUBLE, peer, 10, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 10, 1, MPI_DOUBLE, peer, 11, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 11, 1, MPI_DOUBLE, peer, 12, MPI_COMM_WORLD));
  CHK(MPI_Send(work + 12, 1, MPI_DOUBLE, peer, 13, MPI_COMM_WORLD));
  WORK;
  work[5] = b[3];
}

// A wait: whether it may be moved is asked where it stood.
// CHECK-LABEL: define {{.*}}@waits(
// CHECK: call i32 @lapwing_may_sink(i32 0)
// CHECK: call void @lapwing_retire(
// CHECK: [[RC:%.*]] = call i32 @MPI_Wait(
// CHECK: phi i32 [ [[RC]], %{{.*}} ], [ 0, %{{.*}} ]
// CHECK: call void @lapwing_retire(
// CHECK: call i32 @MPI_Wait(
// OPENMPI-LABEL: define {{.*}}@waits(
// OPENMPI: call i32 @lapwing_may_sink(ptr @ompi_mpi_comm_world)
double waits(int peer) {
  MPI_Request r;
  CHK(MPI_Irecv(b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r));
  WORK;
  CHK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  WORK;
  return b[3];
}

// Which communicators its requests are on must be the same on all ways.
// OPENMPI-LABEL: define {{.*}}@waits_for_some(
// OPENMPI: call i32 @lapwing_may_sink(ptr null)
int waits_for_some(int peer, MPI_Comm comm) {
  MPI_Request r;
  if (peer) {
    MPI_Isend(a, 20000, MPI_DOUBLE, peer, 0, comm, &r);
  } else {
    MPI_Isend(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  }
  int rc = MPI_Wait(&r, MPI_STATUS_IGNORE);
  WORK;
  return rc;
}
// REQUIRES: openmpi
