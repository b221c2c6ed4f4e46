// SPDX-License-Identifier: Apache-2.0
// Branches that only send and receive part processes on request; each names the communicator.
//
// RUN: %ir %s -o - | env LAPWING_PASS=p2p=on %sets -o - 2> /dev/null | FileCheck %s
// RUN: %ir %s -o - | %sets -o - 2> /dev/null | FileCheck %s --check-prefix=OFF
// RUN: %ir %s -o - | env LAPWING_PASS=p2p=on,warnings=off %lapwing -passes='lapwing-sets<check>' -S -o - 2> /dev/null | FileCheck %s --check-prefix=OFF
#include <mpi.h>

// OFF-NOT: call void @lapwing_sets_split(

// CHECK-LABEL: define {{.*}}@sends(
// CHECK: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 1, ptr %lapwing.comms, i32 0)
// CHECK-NOT: call void @lapwing_sets_call(
// CHECK: call i32 @MPI_Send(
// CHECK: call void @lapwing_sets_merge(
void sends(int rank, MPI_Comm comm) {
  if (rank) MPI_Send(&rank, 1, MPI_INT, 0, 0, comm);
}

static void exchange(int* x, int other) {
  MPI_Sendrecv_replace(x, 1, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// CHECK-LABEL: define {{.*}}@through_a_function(
// CHECK: call void @lapwing_sets_split(
// CHECK: call void @exchange(
void through_a_function(int rank, int* x) {
  if (rank > 2) exchange(x, rank - 1);
}

// A request tells nothing of its communicator.
// CHECK-LABEL: define {{.*}}@starts(
// CHECK: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 0, ptr null, i32 0)
// CHECK: call i32 @MPI_Start(
void starts(int rank, MPI_Request* request) {
  if (rank) MPI_Start(request);
}

// To wait, to ask and to talk to itself is no communication; nor are calls of PMPI's.
// CHECK-LABEL: define {{.*}}@others(
// CHECK-NOT: call void @lapwing_sets_split(
// CHECK: ret void
void others(int rank, MPI_Request* request) {
  if (rank) {
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    PMPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
}

// CHECK-LABEL: define {{.*}}@alike(
// CHECK-NOT: call void @lapwing_sets_split(
// CHECK: ret void
void alike(void) {
  int size, rank;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (size > 1) MPI_Sendrecv_replace(&rank, 1, MPI_INT, size - 1 - rank, 0, size - 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
