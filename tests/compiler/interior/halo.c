/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of which only some rounds need what comes, and some that only look so. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, up, down;

static double* grid(int rows, int width, int salt) {
  double* made = malloc((size_t)rows * width * sizeof(double));
  for (long i = 0; i < (long)rows * width; ++i) made[i] = (i * 7919 + rank * 31 + salt) % 1000;
  return made;
}

static void show(const char* name, const double* grid, long count) {
  unsigned long sum = 0;
  for (long i = 0; i < count; ++i) {
    unsigned long bits;
    memcpy(&bits, grid + i, 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  printf("%s %d %lx\n", name, rank, sum);
}

static void exchange(double* u, int n, int m, MPI_Request* r) {
  MPI_Irecv(u, m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, r);
  MPI_Irecv(u + (long)(n + 1) * m, m, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, r + 1);
  MPI_Isend(u + (long)n * m, m, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, r + 2);
  MPI_Isend(u + m, m, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, r + 3);
}

/* A Jacobi sweep, its arrays exchanged in each step. */
static void jacobi(int n, int m, int steps) {
  double *u = grid(n + 2, m, 1), *v = grid(n + 2, m, 2);
  for (int step = 0; step < steps; ++step) {
    MPI_Request r[4];
    exchange(u, n, m, r);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j < m - 1; ++j)
        v[(long)i * m + j] = 0.25 * (u[(long)(i - 1) * m + j] + u[(long)(i + 1) * m + j] +
                                     u[(long)i * m + j - 1] + u[(long)i * m + j + 1]);
    double* other = u;
    u = v;
    v = other;
  }
  show("jacobi", u, (long)(n + 2) * m);
  free(u);
  free(v);
}

/* Each round reads what the round before has written: it stays in order. */
static void in_place(int n, int m) {
  double* u = grid(n + 2, m, 3);
  MPI_Request r[4];
  exchange(u, n, m, r);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j < m - 1; ++j)
      u[(long)i * m + j] = 0.5 * (u[(long)(i - 1) * m + j] + u[(long)i * m + j + 1]);
  show("in_place", u, (long)(n + 2) * m);
  free(u);
}

/* The same memory by two names: only the addresses tell. */
__attribute__((noinline)) static void overlapping(double* u, double* v, int n, int m) {
  MPI_Request r[4];
  exchange(u, n, m, r);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  for (int i = 1; i <= n; ++i)
    for (int j = 0; j < m; ++j) v[(long)i * m + j] = u[(long)(i + 1) * m + j] + 1;
}

/* From the last row to the first, three loops deep, and one message only. */
static void turned(int n, int m) {
  double *u = grid(n + 2, 4 * m, 5), *v = grid(n + 2, 4 * m, 6);
  MPI_Sendrecv(u + (long)n * 4 * m, 4 * m, MPI_DOUBLE, down, 3, u, 4 * m, MPI_DOUBLE, up, 3, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = n; i >= 1; --i)
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < m; ++j) v[((long)i * 4 + k) * m + j] = 3 * u[((long)(i - 1) * 4 + k) * m + j];
  show("turned", v, (long)(n + 2) * 4 * m);
  free(u);
  free(v);
}

/* One loop, and a message that takes much of it. */
static void flat(int count) {
  double *u = grid(1, count, 7), *v = grid(1, count, 8);
  MPI_Sendrecv(u, count / 3, MPI_DOUBLE, down, 4, u + count / 2, count / 3, MPI_DOUBLE, up, 4, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < count; ++i) v[i] = u[i] * 0.5 + i;
  show("flat", v, count);
  free(u);
  free(v);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  up = (rank + size - 1) % size;
  down = (rank + 1) % size;
  jacobi(40, 3000, 5);
  jacobi(1, 3000, 3);
  jacobi(0, 3000, 1);
  jacobi(7, 2, 2);
  in_place(20, 2000);
  double* u = grid(44, 1000, 4);
  overlapping(u, u + 20000, 18, 1000);
  overlapping(u, u, 40, 1000);
  overlapping(u, u + 1000, 40, 1000);
  overlapping(u + 1000, u, 40, 1000);
  overlapping(u, u + 700, 40, 1000);
  show("overlapping", u, 44000);
  free(u);
  turned(30, 700);
  flat(30000);
  MPI_Finalize();
  return 0;
}
