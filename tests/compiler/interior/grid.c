/* SPDX-License-Identifier: Apache-2.0 */
/* Processes in a line or in a grid, of which each needs columns of its neighbours, in two and in three
 * dimensions: early rounds leave a frame around what they compute. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, low, high, up, down;
static MPI_Comm grid;

static void show(const char* name, const double* numbers, long count, double also) {
  unsigned long sum = 0, bits;
  for (long i = 0; i < count; ++i) {
    memcpy(&bits, numbers + i, 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  memcpy(&bits, &also, 8);
  printf("%s %d %lx %lx\n", name, rank, sum, bits);
}

static double* made(long count, int salt) {
  double* numbers = malloc((size_t)count * sizeof(double));
  for (long i = 0; i < count; ++i) numbers[i] = (double)((i * 7919 + rank * 31 + salt) % 1000);
  return numbers;
}

static void place(int first) {
  int dims[2] = {first, 0}, periods[2] = {0, 1}, size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &low, &high);
}

/* Rows come into the grid, columns beside it; a sum behind the sweep. */
static void plane(int n, int m, int turns) {
  const long w = m + 2;
  double *u = made(w * (n + 2), 1), *v = made(w * (n + 2), 2), change = 0;
  double *out = made(2 * n, 3), *in = made(2 * n, 4);
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Request r[8];
    MPI_Irecv(u + 1, m, MPI_DOUBLE, up, 1, grid, &r[0]);
    MPI_Irecv(u + (n + 1) * w + 1, m, MPI_DOUBLE, down, 2, grid, &r[1]);
    MPI_Irecv(in, n, MPI_DOUBLE, low, 3, grid, &r[2]);
    MPI_Irecv(in + n, n, MPI_DOUBLE, high, 4, grid, &r[3]);
    for (int i = 0; i < n; ++i) {
      out[i] = u[(i + 1) * w + 1];
      out[n + i] = u[(i + 1) * w + m];
    }
    MPI_Isend(u + w + 1, m, MPI_DOUBLE, up, 2, grid, &r[4]);
    MPI_Isend(u + n * w + 1, m, MPI_DOUBLE, down, 1, grid, &r[5]);
    MPI_Isend(out, n, MPI_DOUBLE, low, 4, grid, &r[6]);
    MPI_Isend(out + n, n, MPI_DOUBLE, high, 3, grid, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) {
      u[(i + 1) * w] = in[i];
      u[(i + 1) * w + m + 1] = in[n + i];
    }
    change = 0;
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= m; ++j) {
        const double one = 0.2 * (u[i * w + j] + u[i * w + j - 1] + u[i * w + j + 1] + u[(i - 1) * w + j] +
                                  u[(i + 1) * w + j]);
        v[i * w + j] = one;
        change += one * u[i * w + j];
      }
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= m; ++j) u[i * w + j] = 0.5 * v[i * w + j] + 1;
  }
  show("plane", u, w * (n + 2), change);
}

/* Columns come into the grid and leave it by a datatype of their own. */
static void typed(int n, int m, int turns) {
  const long w = m + 2;
  double *u = made(w * (n + 2), 13), *v = made(w * (n + 2), 14);
  MPI_Datatype column;
  MPI_Type_vector(n, 1, (int)w, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Request r[8];
    MPI_Irecv(u + 1, m, MPI_DOUBLE, up, 1, grid, &r[0]);
    MPI_Irecv(u + (n + 1) * w + 1, m, MPI_DOUBLE, down, 2, grid, &r[1]);
    MPI_Irecv(u + w, 1, column, low, 3, grid, &r[2]);
    MPI_Irecv(u + w + m + 1, 1, column, high, 4, grid, &r[3]);
    MPI_Isend(u + w + 1, m, MPI_DOUBLE, up, 2, grid, &r[4]);
    MPI_Isend(u + n * w + 1, m, MPI_DOUBLE, down, 1, grid, &r[5]);
    MPI_Isend(u + w + 1, 1, column, low, 4, grid, &r[6]);
    MPI_Isend(u + w + m, 1, column, high, 3, grid, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= m; ++j)
        v[i * w + j] = 0.2 * (u[i * w + j] + u[i * w + j - 1] + u[i * w + j + 1] + u[(i - 1) * w + j] +
                              u[(i + 1) * w + j]);
    double* other = u;
    u = v;
    v = other;
  }
  MPI_Type_free(&column);
  show("typed", u, w * (n + 2), 0);
}

/* In place, from above and below by numbers of other columns: no two rounds depend on each other but within a
 * row. */
static void skewed(int n, int m, int turns) {
  const long w = m + 2;
  double *u = made(w * (n + 2), 5), *v = made(w * (n + 2), 6), *in = made(n, 7), *out = made(n, 8);
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Request r[2];
    MPI_Irecv(in, n, MPI_DOUBLE, low, 3, grid, &r[0]);
    for (int i = 0; i < n; ++i) out[i] = v[(i + 1) * w + m];
    MPI_Isend(out, n, MPI_DOUBLE, high, 3, grid, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i) u[(i + 1) * w] = in[i];
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= m; ++j)
        v[i * w + j] = 0.5 * (u[i * w + j - 1] + v[i * w + j - 1]) + u[(i + 1) * w + j + 1];
  }
  show("skewed", v, w * (n + 2), 0);
}

/* Faces in all three directions, in one buffer each, unpacked by loops in both orders. */
static void cube(int n, int turns) {
  const long w = n + 2, all = w * w * w;
  double *u = made(all, 9), *v = made(all, 10), *in = made(2 * n * n, 11), *out = made(2 * n * n, 12);
#define U(i, j, k) u[((i)*w + (j)) * w + (k)]
  for (int turn = 0; turn < turns; ++turn) {
    MPI_Request r[4];
    MPI_Irecv(in, n * n, MPI_DOUBLE, low, 5, grid, &r[0]);
    MPI_Irecv(in + n * n, n * n, MPI_DOUBLE, high, 6, grid, &r[1]);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        out[i * n + j] = U(i + 1, j + 1, 1);
        out[n * n + i * n + j] = U(i + 1, n, j + 1);
      }
    MPI_Isend(out, n * n, MPI_DOUBLE, high, 5, grid, &r[2]);
    MPI_Isend(out + n * n, n * n, MPI_DOUBLE, low, 6, grid, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) U(i + 1, j + 1, 0) = in[i * n + j];
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) U(i + 1, 0, j + 1) = in[n * n + i * n + j];
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        for (int k = 1; k <= n; ++k)
          v[(i * w + j) * w + k] = 0.125 * (U(i - 1, j, k) + U(i + 1, j, k) + U(i, j - 1, k) +
                                            U(i, j + 1, k) + U(i, j, k - 1) + U(i, j, k + 1));
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j <= n; ++j)
        for (int k = 1; k <= n; ++k) U(i, j, k) += 0.25 * v[(i * w + j) * w + k];
  }
  show("cube", u, all, 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int first = 0; first < 2; ++first) {
    place(first);
    plane(40, 1500, 4);
    plane(2, 3, 3);
    plane(1, 1, 3);
    typed(400, 60, 4);
    typed(1, 2, 3);
    skewed(200, 40, 3);
    cube(24, 3);
    cube(2, 2);
    MPI_Comm_free(&grid);
  }
  MPI_Finalize();
  return 0;
}
