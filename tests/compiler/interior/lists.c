/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds that read by index lists: sparse rows, some of which need what comes; rows that are computed in
 * place and read each other; a grid of pointers to rows. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

static void show(const char* name, const double* numbers, long count) {
  unsigned long sum = 0;
  for (long i = 0; i < count; ++i) {
    unsigned long bits;
    memcpy(&bits, numbers + i, 8);
    sum = (sum ^ bits) * 1099511628211ul;
  }
  printf("%s %d %lx\n", name, rank, sum);
}

typedef struct {
  int rows, ghosts;
  int *start, *column;
  double* value;
} Matrix;

/* `apart`: of so many rows one reads ghosts; `reach`: how far from the diagonal the others read. */
static Matrix* matrix(int rows, int ghosts, int apart, int reach) {
  Matrix* m = malloc(sizeof *m);
  *m = (Matrix){rows, ghosts, malloc((rows + 1) * sizeof(int)), malloc(5 * rows * sizeof(int)),
                malloc(5 * rows * sizeof(double))};
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    m->start[i] = count;
    const int more = (i * 13 + rank) % 5;
    for (int k = 0; k < more; ++k) {
      m->column[count] = (i + (k * 7 + i) % (2 * reach + 1) - reach + rows) % rows;
      m->value[count++] = (k + i % 9) * 0.125;
    }
    if (i % apart == apart - 1) {
      m->column[count] = rows + (i * 11) % ghosts;
      m->value[count++] = 0.75;
    }
  }
  m->start[rows] = count;
  return m;
}

static void fill(double* x, long count, int salt) {
  for (long i = 0; i < count; ++i) x[i] = (i * 7919 + rank * 31 + salt) % 1000 * 0.01;
}

static void begin(Matrix* m, double* x, MPI_Request* requests) {
  MPI_Irecv(x + m->rows, m->ghosts, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(x, m->ghosts, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
}

/* What is written may be what is read, for all that the compiler knows. */
static void multiply(Matrix* m, double* x, double* y) {
  MPI_Request requests[2];
  begin(m, x, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m->rows; ++i) {
    double sum = 0;
    for (int k = m->start[i]; k < m->start[i + 1]; ++k) sum += m->value[k] * x[m->column[k]];
    y[i] = sum;
  }
}

static void multiply_apart(Matrix* m, double* restrict x, double* restrict y) {
  MPI_Request requests[2];
  begin(m, x, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  const int rows = m->rows, *start = m->start;
  for (int i = 0; i < rows; ++i) {
    double sum = y[i];
    for (int k = start[i]; k < start[i + 1]; ++k) sum += m->value[k] * x[m->column[k]];
    y[i] = sum;
  }
}

/* Any number of messages, under one question with their waits, each of which may fail. */
static void multiply_by_parts(Matrix* m, double* restrict x, double* restrict y, int parts) {
  const int each = parts > 0 ? m->ghosts / parts : 0;
  double *to = x, *from = x + m->rows;
  MPI_Request* requests = malloc(parts * sizeof *requests);
  for (int k = 0; k < parts; ++k, from += each)
    MPI_Irecv(from, each, MPI_DOUBLE, (rank + size - 1) % size, k, MPI_COMM_WORLD, &requests[k]);
  if (parts > 0) {
    for (int k = 0; k < parts; ++k, to += each)
      MPI_Send(to, each, MPI_DOUBLE, (rank + 1) % size, k, MPI_COMM_WORLD);
    for (int k = 0; k < parts; ++k) {
      if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) {
        fprintf(stderr, "a wait has failed\n");
        exit(1);
      }
    }
  }
  free(requests);
  for (int i = 0; i < m->rows; ++i) {
    double sum = 0;
    for (int k = m->start[i]; k < m->start[i + 1]; ++k) sum += m->value[k] * x[m->column[k]];
    y[i] = sum;
  }
}

/* Behind the send's part of x, which must not be written early. */
static void relax(Matrix* m, double* x) {
  MPI_Request requests[2];
  begin(m, x, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < m->rows; ++i) {
    double sum = 1.0;
    for (int k = m->start[i]; k < m->start[i + 1]; ++k) sum += m->value[k] * x[m->column[k]];
    x[i] = 0.5 * sum;
  }
}

static void sparse(int rows, int ghosts, int apart, int reach) {
  Matrix* m = matrix(rows, ghosts, apart, reach);
  double *x = malloc((rows + ghosts) * sizeof(double)), *y = malloc((rows + ghosts) * sizeof(double));
  fill(x, rows + ghosts, 1);
  fill(y, rows + ghosts, 2);
  for (int step = 0; step < 4; ++step) {
    multiply(m, x, y);
    multiply_apart(m, y, x);
    multiply(m, x, x);
    if (size > 1) multiply_by_parts(m, x, y, step);
    relax(m, y);
  }
  show("sparse", x, rows);
  show("sparse", y, rows);
}

static void change(Matrix* m, int row, int column) {
  for (int k = m->start[row]; k < m->start[row + 1]; ++k) m->column[k] = column;
}
static void (*volatile change_by_pointer)(Matrix*, int, int) = change;

/* The lists are mostly the same from step to step, but not always, and who changes them differs. */
static void steps(Matrix* m, double* restrict x, double* restrict y, int count) {
  const int rows = m->rows, *start = m->start, *column = m->column;
  double* value = m->value;
  for (int step = 0; step < count; ++step) {
    MPI_Request requests[2];
    begin(m, x, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int k = start[i]; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
      y[i] = sum;
    }
    for (int i = 0; i < rows; ++i) x[i] = 0.25 * (x[i] + y[i]) + step;
    m->column[step % 3 * 7] = rows + step % m->ghosts; /* in place, which is asked about */
    if (step % 5 == 4) change_by_pointer(m, 11 + step * 3, rows + step % m->ghosts);
    if (step == 7)
      for (int i = 0; i < rows; i += 9) m->column[start[i]] = rows + i % m->ghosts;
    if (step == 12) column = memcpy(malloc(start[rows] * sizeof(int)), column, start[rows] * sizeof(int));
  }
}

static void in_steps(int rows, int ghosts, int apart, int reach) {
  Matrix* m = matrix(rows, ghosts, apart, reach);
  double *x = malloc((rows + ghosts) * sizeof(double)), *y = malloc((rows + ghosts) * sizeof(double));
  fill(x, rows + ghosts, 1);
  steps(m, x, y, 20);
  show("steps", x, rows);
  show("steps", y, rows);
}

static void in_rows(int n, int m) {
  double **u = malloc((n + 2) * sizeof *u), *v = malloc((long)n * m * sizeof(double));
  fill(v, (long)n * m, 3);
  for (int i = 0; i < n + 2; ++i) fill(u[i] = malloc(m * sizeof(double)), m, 4 + i);
  for (int step = 0; step < 3; ++step) {
    MPI_Request requests[2];
    MPI_Irecv(u[0], m, MPI_DOUBLE, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(u[n], m, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j < m - 1; ++j)
        v[(long)(i - 1) * m + j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1]);
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j < m - 1; ++j) u[i][j] = v[(long)(i - 1) * m + j];
  }
  show("rows", v, (long)n * m);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  sparse(3000, 900, 7, 40);
  sparse(2000, 1500, 1, 3);
  sparse(500, 500, 100, 0);
  sparse(1200, 600, 1300, 2);
  in_steps(3000, 900, 200, 40);
  in_steps(2000, 1500, 7, 3);
  in_rows(12, 2000);
  MPI_Finalize();
  return 0;
}
