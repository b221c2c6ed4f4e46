// SPDX-License-Identifier: Apache-2.0
// Collective calls that only some processes come to are warned of in check mode.
//
// RUN: %ir %s -o - | %lapwing -passes='lapwing-sets<check>' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: %ir %s -o - | %lapwing -passes='lapwing-sets<run>' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// SILENT-NOT: depends on the rank
#include <mpi.h>

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  int rank, size, n = argc;
  double x = 1, y[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    // CHECK: warning: lapwing: mismatch.c:[[@LINE+1]]: MPI_Barrier is not called by all processes alike: the branch at mismatch.c:[[@LINE-1]] depends on the rank
    MPI_Barrier(MPI_COMM_WORLD);
  // Both ways make the call.
  if (rank % 2)
    MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Bcast(y, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  // All processes go the same way, or nothing is known.
  if (size > 3) MPI_Barrier(MPI_COMM_WORLD);
  if (n > 1) MPI_Barrier(MPI_COMM_WORLD);
  // CHECK: warning: lapwing: mismatch.c:[[@LINE+1]]: MPI_Allreduce is not called by all processes alike
  for (int i = 0; i < rank; ++i) MPI_Allreduce(&x, y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const int first = rank > 2 ? 1 : 0;
  // CHECK: warning: lapwing: mismatch.c:[[@LINE+1]]: MPI_Barrier, within this call, is not called by all processes alike
  if (first) barrier();
  if (rank < 0) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
  return 0;
}
