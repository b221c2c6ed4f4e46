/* SPDX-License-Identifier: Apache-2.0
 * Conjugate gradients on a sparse, symmetric, random matrix in a band: implicit
 * time steps (I + L) x = x_old + source, each solved by a fixed number of
 * iterations. Rows are cut into one block a rank; a row reaches at most into
 * the blocks beside its own. Sums are formed over eight fixed pieces, so that
 * every number of ranks gives the same bits. */
#ifndef LAPWING_BENCH_CG_H
#define LAPWING_BENCH_CG_H

#include "support/kernel.h"

enum { CG_ITERATIONS = 12, CG_PIECES = 8, CG_MOST_OFFSETS = 256 };

/* The whole matrix: row i has the columns i - offset and i + offset. */
typedef struct cg_problem {
  int n, width, offsets, offset[CG_MOST_OFFSETS];
} cg_problem;

/* Rows in the compressed form; columns count from the block's first row, or
 * into what the neighbours send: [0, width) from below, then from above. */
typedef struct cg_rows {
  int *begin, *column;
  double* value;
} cg_rows;

typedef struct cg_block {
  int first, rows, width, below, above; /* the neighbours, MPI_PROC_NULL at the ends */
  cg_rows local, remote;
} cg_block;

typedef struct cg_task {
  int steps, slabs;
  bool spoil;
} cg_task;

cg_problem cg_describe(int n, int width, int offsets);
double cg_entry(const cg_problem*, int i, int j); /* i != j; 0 is possible */
double cg_diagonal(const cg_problem*, int i);
double cg_source(int i);
cg_block cg_build(const cg_problem*, int rank, int ranks);
void cg_free(cg_block*);

/* q = A x over rows [from, to). */
static inline void cg_multiply(int from, int to, const int* begin, const int* column, const double* value,
                               const double* x, double* q) {
  for (int i = from; i < to; ++i) {
    double sum = 0.0;
    for (int k = begin[i]; k < begin[i + 1]; ++k) sum += value[k] * x[column[k]];
    q[i] = sum;
  }
}

/* q += A ghost, over all rows; what the neighbours own comes last in each sum. */
static inline void cg_multiply_add(int rows, const int* begin, const int* column, const double* value,
                                   const double* ghost, double* q) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0.0;
    for (int k = begin[i]; k < begin[i + 1]; ++k) sum += value[k] * ghost[column[k]];
    q[i] += sum;
  }
}

/* The sum of x[i] * y[i] over all ranks: each piece has one owner, so adding
 * the others' zeros changes no bit, in whatever order it is done. */
static inline double cg_dot(int first, int rows, int n, const double* x, const double* y) {
  double mine[CG_PIECES] = {0}, all[CG_PIECES], sum = 0.0;
  const int piece = n / CG_PIECES;
  for (int from = 0; from < rows; from += piece) {
    double part = 0.0;
    for (int i = from; i < from + piece; ++i) part += x[i] * y[i];
    mine[(first + from) / piece] = part;
  }
  MPI_Allreduce(mine, all, CG_PIECES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int p = 0; p < CG_PIECES; ++p) sum += all[p];
  return sum;
}

/* The version of this program: plain or by hand. x is the block of the
 * solution; gives the checksum of what was received. */
extern const char* const cg_variant;
uint64_t cg_run(const cg_task*, int n, int first, int rows, int width, int below, int above,
                const int* restrict local_begin, const int* restrict local_column,
                const double* restrict local_value, const int* restrict remote_begin,
                const int* restrict remote_column, const double* restrict remote_value, double* restrict x);

/* The plain iteration with a clock at every seam. */
uint64_t cg_run_limit(const cg_task*, int n, const cg_block*, double* x, kernel_phases*);

/* The whole problem on one rank, by a code of its own; gives the checksum. */
uint64_t cg_run_serial(const cg_problem*, int ranks, int steps);

#endif
