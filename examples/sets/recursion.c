/* SPDX-License-Identifier: Apache-2.0
 * The experiment of MIPS 5: recursion with irregular point-to-point communication
 * on a set that stays whole. `recursion LOAD` repeats x = log(y) * log(x) + x so
 * often in each call. Its branches hold only point-to-point, so lwcc --sets=run
 * adds nothing to it; `recursion LOAD split` makes the splits of MIPS 5 by hand. */
#include "../../bench/split/recursion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lapwing/sets.h"

static void split(void* context, int branches, int branch) {
  lapwing_split(*(MPI_Comm*)context, branches, branch);
}

static void merge(void* context) { lapwing_merge(*(MPI_Comm*)context); }

int main(int argc, char** argv) {
  MPI_Comm world = MPI_COMM_WORLD;
  lapwing_recursion r;
  long values[1024], right = 1, all;
  double start, seconds;
  int size, i;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(world, &size);
  memset(&r, 0, sizeof r);
  r.repetitions = argc > 1 ? atol(argv[1]) : 0;
  if (argc > 2 && !strcmp(argv[2], "split")) {
    r.split = split;
    r.merge = merge;
    r.context = &world;
  }
  if (size > 1024) MPI_Abort(world, 1);
  MPI_Barrier(world);
  start = MPI_Wtime();
  lapwing_recursion_run(&r, world);
  seconds = MPI_Wtime() - start;
  for (i = 0; i < size; ++i) values[i] = i + 1;
  lapwing_recursion_expected(values, 0, 1, size);
  right = values[r.rank] == r.value;
  MPI_Allreduce(&right, &all, 1, MPI_LONG, MPI_MIN, world);
  if (r.rank == 0) {
    printf("recursion: %ld calls, %ld splits, last value %ld, %s\n", r.calls, r.splits, values[size - 1],
           all ? "verified" : "WRONG");
    fprintf(stderr, "%.3f ms\n", 1e3 * seconds);
  }
  MPI_Finalize();
  return all ? 0 : 1;
}
