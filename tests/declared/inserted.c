// SPDX-License-Identifier: Apache-2.0
// Declared communication without a use or a define: `lwcc --declared` puts them
// in. Senders are late, so whoever does not wait reads what was there before; what
// has been declared to be sent is overwritten at once.
#include <lapwing/declare.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { n = 300 };
static int rank, size, left, right, wrong;
static double halo[n], edge[n];

static void expect(const char* what, double found, double expected) {
  if (found == expected) return;
  wrong = 1;
  printf("rank %d: %s: %g instead of %g\n", rank, what, found, expected);
}

static void late(void) { usleep(3000 + 1000 * (unsigned)rank); }

// Declares, and is part of its caller wherever it can be.
static void exchange(double* in, const double* out, int tag) {
  lapwing_declare_recv(in, n, MPI_DOUBLE, left, tag, MPI_COMM_WORLD);
  late();
  lapwing_declare_send(out, n, MPI_DOUBLE, right, tag, MPI_COMM_WORLD);
}

static void in_loops(void) {
  double sum = 0, expected = 0;
  for (int step = 0; step < 6; ++step) {
    for (int i = 0; i < n; ++i) edge[i] = rank + step;
    exchange(halo, edge, 1);
    for (int i = 0; i < n; ++i) sum += halo[i];
    expected += n * (left + step);
  }
  expect("a loop", sum, expected);
}

// By functions of the library, and in memory of this function's own.
static void by_library(void) {
  double* mine = (double*)malloc(n * sizeof(double));
  double copy[n], first;
  char text[40];
  for (int i = 0; i < n; ++i) copy[i] = rank + 1;
  memset(mine, 0, n * sizeof(double));
  exchange(mine, copy, 2);
  memset(copy, 0, sizeof copy);
  memcpy(&first, mine, sizeof first);
  snprintf(text, sizeof text, "%g", mine[n - 1]);
  expect("memcpy", first, left + 1);
  expect("printf", atof(text), left + 1);
  exchange(mine, copy, 3);
  free(mine);
}

__attribute__((noinline)) static double middle(const double* values) { return values[n / 2]; }

// On one way only, and by a function that is called.
static void on_some_ways(int odd) {
  for (int i = 0; i < n; ++i) halo[i] = -1, edge[i] = 10 * rank;
  if (odd == right % 2) lapwing_declare_send(edge, n, MPI_DOUBLE, right, 4, MPI_COMM_WORLD);
  if (odd == rank % 2) lapwing_declare_recv(halo, n, MPI_DOUBLE, left, 4, MPI_COMM_WORLD);
  late();
  for (int i = 0; i < n; ++i) edge[i] = -2;
  expect("one way", middle(halo), odd == rank % 2 ? 10 * left : -1);
}

// Received, and passed on before it has come; then by MPI's own calls.
static void along_the_line(void) {
  double value[n], back = 0;
  for (int i = 0; i < n; ++i) value[i] = 0;
  if (rank == 0) {
    late();
    value[7] = 42;
  } else {
    lapwing_declare_recv(value, n, MPI_DOUBLE, left, 5, MPI_COMM_WORLD);
  }
  if (rank + 1 < size) lapwing_declare_send(value, n, MPI_DOUBLE, right, 5, MPI_COMM_WORLD);
  MPI_Reduce(&value[7], &back, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) expect("a line", back, 42 * size);
  value[7] = -1;
}

static void sums(void) {
  double mine = rank + 1, all = 0;
  late();
  lapwing_declare_allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  mine = 0;
  expect("a sum", all, size * (size + 1) / 2);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) % size;
  right = (rank + 1) % size;
  in_loops();
  by_library();
  on_some_ways(0);
  on_some_ways(1);
  along_the_line();
  sums();
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && !wrong) printf("every value is the one that was meant\n");
  MPI_Finalize();
  return 0;
}
