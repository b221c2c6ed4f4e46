// SPDX-License-Identifier: Apache-2.0
// A variable that many statements change by its own value has no known value, which is found without following the ways
// through all of them; variables that a call may write; and unsigned comparisons with what is negative on rank 0.
//
// RUN: %ir %s -o - | %lapwing -passes='lapwing-sets<check>' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning:
#include <mpi.h>

#define STEP(n) \
  void step##n(void) { counter += n; }
#define TEN(n) \
  STEP(n##0) STEP(n##1) STEP(n##2) STEP(n##3) STEP(n##4) STEP(n##5) STEP(n##6) STEP(n##7) STEP(n##8) STEP(n##9)

int counter;
void read_input(int* value);
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8)

int main(int argc, char** argv) {
  int rank, workers = 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // CHECK: warning: {{.*}}mismatch_values.c:[[@LINE+1]]:28: MPI_Barrier may not be called by all processes alike
  if (rank == counter % 4) MPI_Barrier(MPI_COMM_WORLD);
  read_input(&workers);
  // CHECK: warning: {{.*}}mismatch_values.c:[[@LINE+1]]:23: MPI_Scan may not be called by all processes alike
  if (rank < workers) MPI_Scan(&rank, &counter, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  // Ranks 1 and 2, and the others.
  if ((unsigned)(rank - 1) < 2) MPI_Alltoall(0, 0, MPI_INT, 0, 0, MPI_INT, MPI_COMM_WORLD);
  if (rank == 0 || rank > 2) MPI_Alltoall(0, 0, MPI_INT, 0, 0, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
