/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "cg/cg.h"

static int by_size(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

/* Random distances, each once and in order, the widest always among them. */
cg_problem cg_describe(int n, int width, int offsets) {
  cg_problem problem = {.n = n, .width = width, .offsets = offsets};
  problem.offset[0] = width;
  uint64_t draw = 0;
  for (int k = 1; k < offsets;) {
    const int candidate = 1 + (int)(kernel_random(++draw) * (width - 1));
    bool seen = false;
    for (int j = 0; j < k; ++j) seen |= problem.offset[j] == candidate;
    if (!seen) problem.offset[k++] = candidate;
  }
  qsort(problem.offset, offsets, sizeof *problem.offset, by_size);
  return problem;
}

double cg_entry(const cg_problem* problem, int i, int j) {
  const uint64_t low = i < j ? i : j, high = i < j ? j : i;
  return -0.5 - 0.5 * kernel_random(low * (uint64_t)problem->n + high);
}

double cg_diagonal(const cg_problem* problem, int i) {
  return 2.0 * problem->offsets + 0.25 + kernel_random((uint64_t)i);
}

double cg_source(int i) { return kernel_random(0x5000000000ULL + (uint64_t)i) - 0.5; }

static void* allocate(size_t bytes) {
  void* memory = malloc(bytes ? bytes : 1);
  if (!memory) kernel_fail("cg", "not enough memory for this class.");
  return memory;
}

static cg_rows allocate_rows(int rows, size_t entries) {
  const cg_rows made = {allocate(sizeof(int) * ((size_t)rows + 1)), allocate(sizeof(int) * entries),
                        allocate(sizeof(double) * entries)};
  made.begin[0] = 0;
  return made;
}

static void append(cg_rows* rows, int* count, int column, double value) {
  rows->column[*count] = column;
  rows->value[(*count)++] = value;
}

cg_block cg_build(const cg_problem* problem, int rank, int ranks) {
  const int rows = problem->n / ranks, first = rank * rows, width = problem->width;
  cg_block block = {.first = first, .rows = rows, .width = width};
  block.below = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  block.above = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  block.local = allocate_rows(rows, (size_t)rows * (2 * problem->offsets + 1));
  block.remote = allocate_rows(rows, (size_t)2 * width * problem->offsets);
  int near = 0, far = 0, columns[2 * CG_MOST_OFFSETS + 1];
  for (int i = 0; i < rows; ++i) {
    const int row = first + i;
    int count = 0;
    for (int k = problem->offsets - 1; k >= 0; --k)
      if (row - problem->offset[k] >= 0) columns[count++] = row - problem->offset[k];
    columns[count++] = row;
    for (int k = 0; k < problem->offsets; ++k)
      if (row + problem->offset[k] < problem->n) columns[count++] = row + problem->offset[k];
    for (int c = 0; c < count; ++c) {
      const int j = columns[c];
      const double value = j == row ? cg_diagonal(problem, row) : cg_entry(problem, row, j);
      if (j < first)
        append(&block.remote, &far, j - first + width, value);
      else if (j >= first + rows)
        append(&block.remote, &far, width + j - first - rows, value);
      else
        append(&block.local, &near, j - first, value);
    }
    block.local.begin[i + 1] = near;
    block.remote.begin[i + 1] = far;
  }
  return block;
}

void cg_free(cg_block* block) {
  cg_rows* both[] = {&block->local, &block->remote};
  for (int i = 0; i < 2; ++i) {
    free(both[i]->begin);
    free(both[i]->column);
    free(both[i]->value);
  }
}
