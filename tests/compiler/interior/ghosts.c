/* SPDX-License-Identifier: Apache-2.0 */
/* What comes is unpacked into ghost cells before the sweep, behind questions about the neighbours; the sweep
 * that follows needs what the first one wrote. In the grid of a structure, of an array of variable length, of
 * pointers to rows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void show(const char* name, const double* grid, long count) {
  unsigned long sum = 0;
  for (long i = 0; i < count; ++i) {
    unsigned long bits;
    memcpy(&bits, grid + i, 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  printf("%s %d %lx\n", name, rank, sum);
}

typedef struct {
  int nx, ny;
  double *u, *unew;
  double *send_up, *send_down, *recv_up, *recv_down;
  MPI_Request requests[4];
} Field;

static double* made(long count, int salt) {
  double* numbers = malloc(count * sizeof(double));
  for (long i = 0; i < count; ++i) numbers[i] = (i * 7919 + rank * 31 + salt) % 1000;
  return numbers;
}

#define U(i, j) f->u[(j) * (f->nx + 2) + (i)]
#define NEW(i, j) f->unew[(j) * (f->nx + 2) + (i)]

static void step(Field* f) {
  int open = 0;
  if (rank > 0) {
    MPI_Irecv(f->recv_up, f->nx, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &f->requests[open++]);
    for (int i = 1; i <= f->nx; i++) f->send_up[i - 1] = U(i, 1);
    MPI_Isend(f->send_up, f->nx, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &f->requests[open++]);
  }
  if (rank < size - 1) {
    MPI_Irecv(f->recv_down, f->nx, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, &f->requests[open++]);
    for (int i = 1; i <= f->nx; i++) f->send_down[i - 1] = U(i, f->ny);
    MPI_Isend(f->send_down, f->nx, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &f->requests[open++]);
  }
  MPI_Waitall(open, f->requests, MPI_STATUSES_IGNORE);
  if (rank > 0)
    for (int i = 1; i <= f->nx; i++) U(i, 0) = f->recv_up[i - 1];
  if (rank < size - 1)
    for (int i = 1; i <= f->nx; i++) U(i, f->ny + 1) = f->recv_down[i - 1];
  for (int j = 1; j <= f->ny; j++)
    for (int i = 1; i <= f->nx; i++)
      NEW(i, j) = 0.2 * (U(i, j) + U(i - 1, j) + U(i + 1, j) + U(i, j - 1) + U(i, j + 1));
  for (int j = 1; j <= f->ny; j++)
    for (int i = 1; i <= f->nx; i++) U(i, j) = NEW(i, j) * 1.5 - U(i, j);
}

static void in_structure(int nx, int ny) {
  const long count = (long)(nx + 2) * (ny + 2);
  Field f = {nx, ny, made(count, 1), made(count, 2), made(nx, 3), made(nx, 4), made(nx, 5), made(nx, 6), {0}};
  for (int n = 0; n < 4; n++) step(&f);
  show("structure", f.u, count);
}

/* Requests that are waited for under the question under which they were started. */
static void of_variable_length(int n, int m) {
  double(*a)[m] = (double(*)[m])made((long)(n + 2) * m, 7);
  double(*b)[m] = (double(*)[m])made((long)(n + 2) * m, 8);
  double *out_low = made(m, 1), *out_high = made(m, 2), *in_low = made(m, 3), *in_high = made(m, 4);
  MPI_Request request[4];
  for (int step = 0; step < 4; step++) {
    if (rank > 0) {
      MPI_Irecv(in_low, m, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, &request[1]);
      for (int j = 0; j < m; j++) out_low[j] = a[1][j];
      MPI_Isend(out_low, m, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD, &request[0]);
    }
    if (rank < size - 1) {
      MPI_Irecv(in_high, m, MPI_DOUBLE, rank + 1, 2, MPI_COMM_WORLD, &request[3]);
      for (int j = 0; j < m; j++) out_high[j] = a[n][j];
      MPI_Isend(out_high, m, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD, &request[2]);
    }
    if (rank > 0) {
      MPI_Wait(&request[0], MPI_STATUS_IGNORE);
      MPI_Wait(&request[1], MPI_STATUS_IGNORE);
      for (int j = 0; j < m; j++) a[0][j] = in_low[j];
    }
    if (rank < size - 1) {
      MPI_Wait(&request[2], MPI_STATUS_IGNORE);
      MPI_Wait(&request[3], MPI_STATUS_IGNORE);
      for (int j = 0; j < m; j++) a[n + 1][j] = in_high[j];
    }
    for (int i = 1; i <= n; i++)
      for (int j = 1; j < m - 1; j++)
        b[i][j] += 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
    for (int i = 1; i <= n; i++)
      for (int j = 0; j < m; j++) a[i][j] += 1.0;
  }
  show("variable length", b[0], (long)(n + 2) * m);
}

/* Where the ghost cells are columns every row needs them: some rounds of the loop inside may run early. */
static void in_columns(int n, int m) {
  double(*a)[m] = (double(*)[m])made((long)n * m, 9);
  double(*b)[m] = (double(*)[m])made((long)n * m, 10);
  double *out = made(n, 1), *in = made(n, 2);
  MPI_Request request[2];
  for (int step = 0; step < 3; step++) {
    MPI_Irecv(in, n, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request[0]);
    for (int i = 0; i < n; i++) out[i] = a[i][m - 2];
    MPI_Isend(out, n, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++) a[i][0] = in[i];
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m - 1; j++) b[i][j] = 0.5 * (a[i][j - 1] + a[i][j + 1]);
    for (int i = 0; i < n; i++)
      for (int j = 1; j < m - 1; j++) a[i][j] = b[i][j] + 1.0;
  }
  show("columns", a[0], (long)n * m);
}

/* Rows that are found by pointers: the sweep over one row's columns is what can be divided. */
static void in_rows(int n, int m) {
  double** u = malloc((n + 2) * sizeof(double*));
  for (int i = 0; i < n + 2; i++) u[i] = made(m, 11 + i);
  double *v = made((long)n * m, 12), *in = made(m, 13);
  MPI_Request request[2];
  for (int step = 0; step < 3; step++) {
    MPI_Irecv(in, m, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(u[n], m, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int j = 0; j < m; j++) u[0][j] = in[j];
    for (int i = 1; i <= n; i++)
      for (int j = 1; j < m - 1; j++)
        v[(long)(i - 1) * m + j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1]);
    for (int i = 1; i <= n; i++)
      for (int j = 1; j < m - 1; j++) u[i][j] = v[(long)(i - 1) * m + j];
  }
  show("rows", v, (long)n * m);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in_structure(2000, 30);
  in_structure(7, 1);
  of_variable_length(20, 3000);
  of_variable_length(2, 5);
  in_columns(40, 500);
  in_rows(12, 2000);
  MPI_Finalize();
  return 0;
}
