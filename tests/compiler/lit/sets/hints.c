// SPDX-License-Identifier: Apache-2.0
// A split names the communicators on which its branches communicate if the
// handles of all of them are certain where control parts; else none.
//
// RUN: %ir %s -o - | %sets -o - 2> /dev/null | FileCheck %s --check-prefixes=CHECK,MPICH
// RUN: %openmpi_ir %s -o - | %sets -o - 2> /dev/null | FileCheck %s --check-prefixes=CHECK,OPENMPI
#include <mpi.h>

void of_another_file(void);

// CHECK-LABEL: define {{.*}}@argument(
// MPICH: store i32 %comm, ptr %[[at:.*]], align
// MPICH: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 1, ptr %lapwing.comms, i32 0)
// OPENMPI: store ptr %comm, ptr %{{.*}}, align
// OPENMPI: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 1, ptr %lapwing.comms, i32 0)
void argument(int rank, MPI_Comm comm) {
  if (rank) MPI_Barrier(comm);
}

// Several of them, a constant among them.
// CHECK-LABEL: define {{.*}}@several(
// CHECK: call i32 @MPI_Comm_dup(
// CHECK: load {{i32|ptr}}, ptr %mine
// MPICH: store i32 1140850688, ptr
// OPENMPI: store ptr @ompi_mpi_comm_world, ptr
// CHECK: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 3, ptr %lapwing.comms, i32 0)
void several(int rank, MPI_Comm comm) {
  MPI_Comm mine;
  MPI_Comm_dup(comm, &mine);
  if (rank) {
    MPI_Barrier(mine);
    MPI_Barrier(comm);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// What a function of another file does may be on any; then the split around it is of all, too.
// CHECK-LABEL: define {{.*}}@any(
// CHECK-COUNT-2: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 0, ptr null, i32 0)
void any(int rank, MPI_Comm comm) {
  if (rank) {
    MPI_Barrier(comm);
    if (rank > 2) of_another_file();
  }
}

// Not yet made, or another by then.
// CHECK-LABEL: define {{.*}}@uncertain(
// CHECK: call void @lapwing_sets_split(ptr @{{.*}}, i32 %{{.*}}, i32 0, ptr null, i32 0)
// CHECK: call i32 @MPI_Comm_split(
void uncertain(int rank) {
  MPI_Comm mine;
  if (rank < 4) {
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &mine);
    MPI_Barrier(mine);
  }
}
// REQUIRES: openmpi
