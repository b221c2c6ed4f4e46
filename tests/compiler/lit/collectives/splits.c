// SPDX-License-Identifier: Apache-2.0
// Where the whole program is seen, a collective that is worth it is split, and
// every other call of its kind is left to the run time. Its wait stops at all
// from which anybody could learn that it is not over.
//
// RUN: %ir %s -o %t.ll
// RUN: %clean %t.ll | %lapwing -passes=lapwing-whole,verify | FileCheck %s
// RUN: %clean %t.ll | %lapwing -passes='lapwing-whole,lapwing-whole,verify' | FileCheck %s
// RUN: %openmpi_ir %s -o - | %clean | %lapwing -passes=lapwing-whole,verify | FileCheck %s
// RUN: %clean %t.ll | %lapwing -passes=lapwing | FileCheck %s --check-prefix=ONE
// RUN: %clean %t.ll | %lapwing -passes='lapwing-whole<report>' | FileCheck %s --check-prefix=ONE
// ONE-NOT: @lapwing_start_bcast
// ONE-NOT: @lapwing_call_
#include <mpi.h>

static int a[40000], b[40000], counts[8], places[8];
static double work[40000];
#define WORK \
  for (int i = 0; i < 40000; ++i) work[i] = work[i] * 0.5 + 1

// CHECK-LABEL: define {{.*}}@broadcast(
// CHECK: [[MAY:%.*]] = call i32 @lapwing_may_split_bcast(
// CHECK: br i1
// CHECK: call ptr @lapwing_start_bcast(
// CHECK: call i32 @lapwing_call_bcast(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: load i32
int broadcast(void) {
  MPI_Bcast(a, 40000, MPI_INT, 0, MPI_COMM_WORLD);
  WORK;
  return a[7];
}

// The same kind, with nothing to hide behind.
// CHECK-LABEL: define {{.*}}@at_once(
// CHECK-NOT: lapwing_start
// CHECK: call i32 @lapwing_call_bcast(
int at_once(int root) {
  MPI_Bcast(a, 40000, MPI_INT, root, MPI_COMM_WORLD);
  return a[7];
}

// CHECK-LABEL: define {{.*}}@before_send(
// CHECK: call ptr @lapwing_start_allreduce(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: call i32 @MPI_Send(
void before_send(int peer) {
  MPI_Allreduce(MPI_IN_PLACE, a, 40000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 40000; ++i) b[i] = b[i] * 5 + 1, work[i] *= 0.5;
  MPI_Send(b, 40000, MPI_INT, peer, 0, MPI_COMM_WORLD);
}

// CHECK-LABEL: define {{.*}}@before_receive(
// CHECK: call ptr @lapwing_start_allreduce(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: @{{lapwing_start_recv|lapwing_post_recv|MPI_Recv}}
void before_receive(int peer) {
  MPI_Allreduce(MPI_IN_PLACE, a, 40000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < 40000; ++i) b[i] = b[i] * 5 + 1, work[i] *= 0.5;
  MPI_Recv(b, 40000, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  WORK;
}

// CHECK-LABEL: define {{.*}}@before_barrier(
// CHECK: call ptr @lapwing_start_allgather(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: call i32 @MPI_Barrier(
void before_barrier(void) {
  MPI_Allgather(b, 100, MPI_INT, a, 100, MPI_INT, MPI_COMM_WORLD);
  WORK;
  MPI_Barrier(MPI_COMM_WORLD);
}

// What is sent may be read, and not be written.
// CHECK-LABEL: define {{.*}}@send_buffer(
// CHECK: call ptr @lapwing_start_reduce(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: store i32 %{{.*}}, ptr {{.*}}@b
int send_buffer(int root, int v) {
  MPI_Reduce(b, a, 40000, MPI_INT, MPI_MAX, root, MPI_COMM_WORLD);
  int sum = 0;
  for (int i = 0; i < 40000; ++i) sum += b[i], work[i] = work[i] * 0.5 + 1;
  b[3] = v;
  return sum;
}

// The counts and the places are MPI's until the end as well.
// CHECK-LABEL: define {{.*}}@counts_and_places(
// CHECK: call ptr @lapwing_start_allgatherv(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: store i32 {{.*}} @places
void counts_and_places(int v) {
  MPI_Allgatherv(b, 100, MPI_INT, a, counts, places, MPI_INT, MPI_COMM_WORLD);
  WORK;
  places[1] = v;
  WORK;
}

// A type that is not known: anything around the buffer.
// CHECK-LABEL: define {{.*}}@unknown_type(
// CHECK: call ptr @lapwing_start_scatter(
// CHECK: fmul
// CHECK: call void @lapwing_wait(
// CHECK: load i32, ptr @a
int unknown_type(MPI_Datatype type) {
  MPI_Scatter(b, 100, MPI_INT, a + 20000, 1, type, 0, MPI_COMM_WORLD);
  WORK;
  return a[0];
}

// CHECK-LABEL: define {{.*}}@error(
// CHECK: call i32 @lapwing_may_split_alltoall(
// CHECK: call ptr @lapwing_start_alltoall(
// CHECK: call i32 @lapwing_call_alltoall(
// CHECK: phi i32 [ {{.*}} ], [ 0,
int error(void) {
  int rc = MPI_Alltoall(b, 100, MPI_INT, a, 100, MPI_INT, MPI_COMM_WORLD);
  WORK;
  return rc == MPI_SUCCESS ? a[1] : -1;
}
// REQUIRES: openmpi
