// SPDX-License-Identifier: Apache-2.0
// Rank 0 gets, accumulates and puts at rank 1, which computes meanwhile: it calls no function of MPI's until
// it has seen the last put in its memory, or SECONDS are over. Prints whether it saw it, and both ranks'
// sums.
//
//   one_sided SECONDS create|allocate|dynamic all|each   locks all windows at once, or for each access
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { numbers = 40000 };

static MPI_Win win;
static int each;
static MPI_Aint base;

static void begin(void) {
  if (each) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
}

static void end(void) {
  if (each)
    MPI_Win_unlock(1, win);
  else
    MPI_Win_flush(1, win);
}

static double sum_of(const double* from) {
  double sum = 0;
  for (int i = 0; i < numbers; ++i) sum += (i % 7 + 1) * from[i];
  return sum;
}

static void origin(void) {
  double* const got = malloc(numbers * sizeof(double));
  double* const ones = malloc(numbers * sizeof(double));
  for (int i = 0; i < numbers; ++i) ones[i] = 1;
  double sums = 0;
  for (int round = 0; round < 5; ++round) {
    begin();
    MPI_Get(got, numbers, MPI_DOUBLE, 1, base + 8, numbers, MPI_DOUBLE, win);
    end();
    sums += sum_of(got);
    begin();
    MPI_Accumulate(ones, numbers, MPI_DOUBLE, 1, base + 8, numbers, MPI_DOUBLE, MPI_SUM, win);
    end();
  }
  begin();
  MPI_Put(ones, 1, MPI_DOUBLE, 1, base, 1, MPI_DOUBLE, win);
  end();
  printf("rank 0 sums %.0f\n", sums);
  free(got);
  free(ones);
}

static void target(double* memory, double seconds) {
  volatile double* const done = memory;
  const double begun = MPI_Wtime();
  while (*done != 1 && MPI_Wtime() - begun < seconds) continue;
  printf("rank 1 %s\n", *done == 1 ? "saw it" : "saw nothing");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
  const MPI_Aint bytes = (numbers + 1) * sizeof(double);
  double* memory = NULL;
  if (strcmp(argv[2], "allocate") == 0) {
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  } else {
    memory = malloc(bytes);
    if (strcmp(argv[2], "create") == 0) {
      MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else {
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_attach(win, memory, bytes);
      MPI_Get_address(memory, &base);
    }
  }
  MPI_Bcast(&base, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  each = strcmp(argv[3], "each") == 0;
  memory[0] = 0;
  for (int i = 1; i <= numbers; ++i) memory[i] = rank * 1000 + i % 100;
  if (!each) MPI_Win_lock_all(0, win);
  if (!each) MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    origin();
  else
    target(memory, atof(argv[1]));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!each) MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("rank 1 sum %.0f\n", sum_of(memory + 1));
  if (strcmp(argv[2], "dynamic") == 0) MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
  if (strcmp(argv[2], "allocate") != 0) free(memory);
  MPI_Finalize();
  return 0;
}
