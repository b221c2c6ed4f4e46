// SPDX-License-Identifier: Apache-2.0
// Sibling branches whose calls plain MPI would match with each other.
//
// RUN: %ir %s -o - | %sets -o - 2> %t.says | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS --input-file=%t.says
// RUN: %ir %s -o - | %lapwing -passes='lapwing-sets<check>' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: plain MPI
#include <mpi.h>

// Flag 2 marks the calls.
// CHECK: @lapwing.call{{.*}} i32 12 }, ptr @{{.*}}, i32 2 }
// CHECK: @lapwing.call{{.*}} i32 14 }, ptr @{{.*}}, i32 2 }
void alike(int rank, double* x, double* y) {
#line 10
  if (rank == 0) {

    MPI_Bcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(y, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}
// SAYS: warning: lapwing: siblings.c:14: MPI_Bcast stands in one branch of siblings.c:10, MPI_Bcast at siblings.c:12 in another: plain MPI matches them

// Another call, or another communicator, it would not match.
// CHECK: @lapwing.call{{.*}} i32 32 }, ptr @{{.*}}, i32 0 }
// SAYS-NOT: plain MPI
void unlike(int rank, double* x, MPI_Comm comm) {
#line 31
  if (rank == 0) {
    MPI_Bcast(x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Barrier(comm);
  } else if (rank == 1) {
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Reduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
