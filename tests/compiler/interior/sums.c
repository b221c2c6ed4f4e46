/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps that carry a sum, the largest change, a count. Those can be computed behind the sweep from what it
 * has stored, with the same bits; from what it has stored there since, or what another round writes, they
 * cannot. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static double *u, *v, *w;

static unsigned long bits_of(double number) {
  unsigned long bits;
  memcpy(&bits, &number, 8);
  return bits;
}

static void show(const char* name, double result, const double* grid, long count) {
  unsigned long sum = bits_of(result);
  for (long i = 0; i < count; ++i) sum = (sum ^ bits_of(grid[i])) * 1099511628211ul;
  printf("%s %d %a %lx\n", name, rank, result, sum);
}

static void fill(long count) {
  for (long i = 0; i < count; ++i) {
    u[i] = (i * 7919 + rank * 31) % 1000 / 7.0;
    v[i] = (i * 104729 + rank) % 1000 / 3.0 - 100;
    w[i] = (i * 31 + rank) % 17 - 8.5;
  }
}

#define EXCHANGE                                                                    \
  MPI_Request requests[4];                                                          \
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;                \
  MPI_Irecv(u, m, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);                 \
  MPI_Irecv(u + (n + 1) * m, m, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]); \
  MPI_Isend(u + n * m, m, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[2]);       \
  MPI_Isend(u + m, m, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[3]);             \
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)

#define NEW(i, j) \
  (0.25 * (u[((i)-1) * m + (j)] + u[((i) + 1) * m + (j)] + u[(i)*m + (j)-1] + u[(i)*m + (j) + 1]))
#define SWEEP                  \
  for (int i = 1; i <= n; i++) \
    for (int j = 1; j < m - 1; j++)

static double stored(int n, int m) {
  double sum = 0.5;
  EXCHANGE;
  SWEEP {
    v[i * m + j] = NEW(i, j);
    sum += v[i * m + j];
  }
  return sum;
}

static double product(int n, int m) {
  double sum = 0;
  EXCHANGE;
  SWEEP {
    v[i * m + j] = NEW(i, j) * 1.5;
    sum += v[i * m + j] * w[i * m + j];
  }
  return sum;
}

static double largest_change(int n, int m) {
  double most = 0;
  EXCHANGE;
  SWEEP {
    v[i * m + j] = NEW(i, j);
    const double change = fabs(v[i * m + j] - u[i * m + j]);
    if (change > most) most = change;
  }
  return most;
}

static double counted(int n, int m) {
  long count = 0;
  double last = 1;
  EXCHANGE;
  SWEEP {
    v[i * m + j] = NEW(i, j);
    if (v[i * m + j] > 70) {
      count = count * 3 + j;
      last = last * 0.5 + v[i * m + j];
    }
  }
  return (double)count + last;
}

/* What is added is not what lies there in the end. */
static double stored_twice(int n, int m) {
  double sum = 0;
  EXCHANGE;
  SWEEP {
    const double first = NEW(i, j);
    v[i * m + j] = first;
    sum += first;
    v[i * m + j] = first * 0.5 + w[i * m + j];
  }
  return sum;
}

static double stored_in_turns(int n, int m) {
  double sum = 0;
  EXCHANGE;
  SWEEP {
    v[i * m + j / 2] = NEW(i, j);
    sum += v[i * m + j / 2];
  }
  return sum;
}

/* Seen only from the addresses: `other` may lie in what is written. */
static double beside(int n, int m, double* other) {
  double sum = 0;
  EXCHANGE;
  SWEEP {
    v[i * m + j] = NEW(i, j);
    sum += v[i * m + j] * other[i * m + j];
  }
  return sum;
}

static double in_steps(int n, int m, int pitch) {
  double sum = 0;
  EXCHANGE;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j < m / 4; j++) {
      v[i * m + j * pitch] = NEW(i, j);
      sum += v[i * m + j * pitch];
    }
  return sum;
}

/* The rounds need the sum: they cannot be divided. */
static double running(int n, int m) {
  double sum = 0;
  EXCHANGE;
  SWEEP {
    sum += NEW(i, j);
    v[i * m + j] = sum;
  }
  return sum;
}

int main(int argc, char** argv) {
  (void)argv;
  const int n = 20, m = 1500;
  const long count = (long)(n + 2) * m;
  MPI_Init(&argc, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  u = malloc(count * sizeof *u), v = malloc(2 * count * sizeof *v), w = malloc(count * sizeof *w);
  fill(count);
  for (int turn = 0; turn < 3; turn++) {
    show("stored", stored(n, m), v, count);
    show("product", product(n, m), v, count);
    show("largest change", largest_change(n, m), v, count);
    show("counted", counted(n, m), v, count);
    show("stored twice", stored_twice(n, m), v, count);
    show("stored in turns", stored_in_turns(n, m), v, count);
    show("beside", beside(n, m, w), v, count);
    show("among", beside(n, m, v + 1), v, count);
    show("behind", beside(n, m, v - 1), v, count);
    show("in steps", in_steps(n, m, 4), v, count);
    show("in one place", in_steps(n, m, 0), v, count);
    show("back", in_steps(n, m, -1), v, count);
    show("running", running(n, m), v, count);
    memcpy(u + m, v + m, (long)n * m * sizeof *u);
    show("one row", stored(1, m), v, count);
  }
  MPI_Finalize();
  return 0;
}
