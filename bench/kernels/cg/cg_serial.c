/* SPDX-License-Identifier: Apache-2.0
 * The whole matrix on one rank, column by column from its description and
 * without a stored form. Floating-point sums depend on their order, so this
 * forms each row's in the order of a run on `ranks` ranks: the row's own block
 * first, then the others'. */
#include <stdlib.h>

#include "cg/cg.h"

static int by_size(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

/* All entries of all rows, in ascending columns; -1 where a row has none. */
static void fill(const cg_problem* problem, int* column, double* value) {
  const int most = 2 * problem->offsets + 1;
  for (int i = 0; i < problem->n; ++i) {
    int *mine = column + (size_t)i * most, count = 0;
    mine[count++] = i;
    for (int k = 0; k < problem->offsets; ++k)
      for (int sign = -1; sign <= 1; sign += 2) {
        const int j = i + sign * problem->offset[k];
        if (j >= 0 && j < problem->n) mine[count++] = j;
      }
    qsort(mine, count, sizeof *mine, by_size);
    for (int c = 0; c < most; ++c) {
      if (c >= count) mine[c] = -1;
      value[(size_t)i * most + c] = c >= count     ? 0.0
                                    : mine[c] == i ? cg_diagonal(problem, i)
                                                   : cg_entry(problem, i, mine[c]);
    }
  }
}

static double dot(const cg_problem* problem, const double* x, const double* y) {
  const int piece = problem->n / CG_PIECES;
  double sum = 0.0;
  for (int k = 0; k < CG_PIECES; ++k) {
    double part = 0.0;
    for (int i = k * piece; i < (k + 1) * piece; ++i) part += x[i] * y[i];
    sum += part;
  }
  return sum;
}

uint64_t cg_run_serial(const cg_problem* problem, int ranks, int steps) {
  const int n = problem->n, most = 2 * problem->offsets + 1, block = n / ranks;
  int* column = malloc(sizeof(int) * n * most);
  double *value = malloc(sizeof(double) * n * most), *vectors = calloc((size_t)n * 4, sizeof(double));
  if (!column || !value || !vectors) kernel_fail("cg", "not enough memory for this class.");
  double *x = vectors, *p = x + n, *q = p + n, *r = q + n;
  fill(problem, column, value);
  for (int step = 0; step < steps; ++step) {
    for (int i = 0; i < n; ++i) {
      p[i] = r[i] = x[i] + cg_source(i);
      x[i] = 0.0;
    }
    double rho = dot(problem, r, r);
    for (int iteration = 0; iteration < CG_ITERATIONS; ++iteration) {
      for (int i = 0; i < n; ++i) {
        double own = 0.0, others = 0.0;
        for (size_t k = (size_t)i * most; k < (size_t)(i + 1) * most && column[k] >= 0; ++k)
          *(column[k] / block == i / block ? &own : &others) += value[k] * p[column[k]];
        q[i] = own + others;
      }
      const double alpha = rho / dot(problem, p, q);
      for (int i = 0; i < n; ++i) x[i] += alpha * p[i];
      for (int i = 0; i < n; ++i) r[i] -= alpha * q[i];
      const double rho_before = rho;
      rho = dot(problem, r, r);
      for (int i = 0; i < n; ++i) p[i] = r[i] + rho / rho_before * p[i];
    }
  }
  uint64_t checksum = 0;
  for (int i = 0; i < n; ++i) checksum += kernel_share(x[i], i);
  free(column), free(value), free(vectors);
  return checksum;
}
