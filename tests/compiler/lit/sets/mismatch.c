// SPDX-License-Identifier: Apache-2.0
// Collective calls that only some processes come to are warned of in check mode: the certain ones first.
//
// RUN: %ir %s -o - | %lapwing -passes='lapwing-sets<check>' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %ir %s -o - | %lapwing -passes='lapwing-sets<run>' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: %ir %s -o - | env LAPWING_PASS=warnings=off %lapwing -passes='lapwing-sets<check>' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: depends on the rank
#include <mpi.h>

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
int unknown(void);

// The warnings, in their order. Those that follow the arithmetic of a branch are certain.
// CHECK: warning: {{.*}}mismatch.c:39:5: MPI_Barrier is not called by all processes alike: the branch at mismatch.c:38 depends on the rank, and another way from it makes fewer such calls
// CHECK: warning: {{.*}}mismatch.c:[[#]]:14: MPI_Barrier, within this call, is not called by all processes alike
// CHECK: warning: {{.*}}mismatch.c:[[#]]:25: MPI_Exscan is not called by all processes alike
// CHECK: warning: {{.*}}mismatch.c:56:5: MPI_Alltoall is not called by all processes alike: the branch at mismatch.c:55 depends on the rank, and another way from it first calls MPI_Barrier at mismatch.c:59
// CHECK: warning: {{.*}}mismatch.c:[[#]]:18: MPI_Bcast is not called by all processes alike
// CHECK: warning: {{.*}}mismatch.c:[[#]]:34: MPI_Allreduce may not be called by all processes alike
// CHECK: warning: {{.*}}mismatch.c:[[#]]:22: MPI_Allgather may not be called by all processes alike

// A call on a communicator of which this is the rank.
static void of_part(MPI_Comm part) {
  int rank;
  double x = 1;
  MPI_Comm_rank(part, &rank);
  if (rank == 0) MPI_Bcast(&x, 1, MPI_DOUBLE, 0, part);
}

int main(int argc, char** argv) {
  int rank, size, n = argc;
  double x = 1, y[64];
  MPI_Comm part;
  MPI_Group group;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    MPI_Barrier(MPI_COMM_WORLD);
  // Both ways make the call.
  if (rank % 2)
    MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(y, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // All processes go the same way, or nothing is known.
  if (size > 3) MPI_Barrier(MPI_COMM_WORLD);
  if (n > 1) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < rank; ++i) MPI_Allreduce(&x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  // All leave after as many rounds.
  for (int i = rank; i < rank + 3; ++i) MPI_Allreduce(&x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const int first = rank > 2;
  if (first) barrier();
  if (rank == size - 1) MPI_Exscan(&x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == n + 1) MPI_Allgather(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Alltoall(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Alltoall(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  }
  // Branches that complement each other, by a rank that is known and by one that is not.
  if (rank == 0) MPI_Scatter(y, 1, MPI_DOUBLE, &x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0) MPI_Scatter(y, 1, MPI_DOUBLE, &x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == n) MPI_Reduce(&x, y, 1, MPI_DOUBLE, MPI_SUM, n, MPI_COMM_WORLD);
  if (rank != n) MPI_Reduce(&x, 0, 1, MPI_DOUBLE, MPI_SUM, n, MPI_COMM_WORLD);
  // As many calls, in a loop and without.
  if (rank == 0) {
    for (int i = 0; i < 2; ++i) MPI_Gather(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Gather(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(&x, 1, MPI_DOUBLE, y, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  // Another file may make the call.
  if (rank == 0)
    MPI_Scan(&x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  else
    unknown();
  // On communicators and of groups to which not all belong.
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  if (rank % 2) MPI_Ibarrier(part, 0);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  if (rank < 2) MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &part);
  of_part(part);
  if (rank < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
