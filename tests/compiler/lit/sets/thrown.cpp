// SPDX-License-Identifier: Apache-2.0
// What a call gives that may throw, and where its exception may lead, differs by process.
//
// RUN: %cxx_ir %s -o - | %sets -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --input-file=%t.remarks
#include <mpi.h>
#include <cstdlib>

struct Guard {
  ~Guard();
};
static int rank;
static int pick(int n) {
  if (n > 7) throw n;
  return rank % n;
}
static void may_throw(int n) {
  if (n > rank) throw n;
}

int main(int argc, char** argv) {
  int n = 3, good = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Guard guard;
  // CHECK: thrown.cpp:[[@LINE+1]]:{{.*}} processes part 2 ways
  if (pick(2)) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  // CHECK: thrown.cpp:[[@LINE+1]]:{{.*}} all processes go the same way
  if (n) MPI_Barrier(MPI_COMM_WORLD);
  try {
    may_throw(3);
  } catch (int) {
    good = 0;
  }
  // CHECK: thrown.cpp:[[@LINE+1]]:{{.*}} processes part 2 ways
  if (good) MPI_Barrier(MPI_COMM_WORLD);
  // A way to the end of the function past a destructor.
  for (int i = 0; i < n; ++i) {
    Guard inner;
    // CHECK: thrown.cpp:[[@LINE+1]]:{{.*}} processes part 2 ways
    if (pick(3)) continue;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
