// SPDX-License-Identifier: Apache-2.0
// A branch that all processes take alike costs nothing.
//
// RUN: %ir %s -o - | %sets -o - 2> %t.remarks | FileCheck %s --implicit-check-not=lapwing_sets_split
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %openmpi_ir %s -o - | %sets -o - 2> /dev/null | FileCheck %s --implicit-check-not=lapwing_sets_split
// RUN: %ir -O0 -Xclang -disable-O0-optnone %s -o - | %sets -o - 2> /dev/null | FileCheck %s --implicit-check-not=lapwing_sets_split
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rounds_wanted, verbose;
static struct { int kind, steps; double tolerance; } input;
static MPI_Comm work_comm;

// REMARK-DAG: all processes go the same way at uniform.c:[[@LINE+2]]
static void by_argument(int depth) {
  if (depth > 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    by_argument(depth - 1);
  }
}

static void by_reference(const int* n) {
  for (int i = 0; i < *n; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

static void read_input(int rank) {
  if (rank == 0) {
    if (scanf("%d", &input.kind) != 1) exit(1);
    input.steps = 10;
  }
  MPI_Bcast(&input.kind, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&input.steps, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

static double half(double x) { return x / 2; }

static int check(int code) {
  if (code != MPI_SUCCESS) {
    fprintf(stderr, "error\n");
    return 0;
  }
  return 1;
}

// CHECK: define {{.*}}@main(
int main(int argc, char** argv) {
  int rank, size, n = 0, done = 0;
  double mine = 1, error = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  // An error code: errors end the program.
  if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
  if (!check(MPI_Barrier(MPI_COMM_WORLD))) return 1;
  // A result of a broadcast, whatever was there before.
  if (rank == 0) n = 7;
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (n > 3) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < n * size; ++i) MPI_Barrier(MPI_COMM_WORLD);
  // A loop that ends by what all have reduced.
  while (error > 1e-3) {
    mine = half(mine) * rank;
    if (rank == 1) mine += sqrt(mine);
    MPI_Allreduce(&mine, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  while (!done) {
    int ready = rank < 3;
    MPI_Allreduce(&ready, &done, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  }
  by_argument(3);
  by_argument(n);
  by_reference(&n);
  // Variables of the file.
  rounds_wanted = n + 1;
  printf("%d\n", rank);
  if (rounds_wanted > 2) MPI_Barrier(MPI_COMM_WORLD);
  if (verbose) MPI_Barrier(MPI_COMM_WORLD);
  read_input(rank);
  for (int i = 0; i < input.steps; ++i)
    if (input.kind == 2) MPI_Barrier(MPI_COMM_WORLD);
  // A duplicate of MPI_COMM_WORLD.
  MPI_Comm_dup(MPI_COMM_WORLD, &work_comm);
  if (rank == 0) n = 4;
  MPI_Bcast(&n, 1, MPI_INT, 0, work_comm);
  if (n) MPI_Barrier(work_comm);
  // Memory on the heap.
  int* counts = malloc(sizeof *counts * 4);
  for (int i = 0; i < 4; ++i) counts[i] = 3 * i;
  for (int i = 0; i < counts[2]; ++i) MPI_Barrier(work_comm);
  MPI_Finalize();
  return 0;
}
// REQUIRES: openmpi
