/* SPDX-License-Identifier: Apache-2.0
 * cg: a sparse solver with Irecv, Send and Wait. Classes, set-up, verification. */
#include <stdlib.h>

#include "cg/cg.h"

typedef struct class_size {
  char name;
  int n, width, repeat, work;
} class_size;

/* With two ranks: 4 KiB, 256 KiB, 1 MiB and 2 MiB to each neighbour an iteration. */
static const class_size classes[] = {{'S', 1 << 13, 512, 2, 4},
                                     {'W', 1 << 18, 1 << 15, 6, 8},
                                     {'A', 1 << 20, 1 << 17, 3, 8},
                                     {'B', 1 << 21, 1 << 18, 5, 8}};

static kernel_result measure(const kernel_options* options, const cg_problem* problem, int rank, int ranks,
                             kernel_phases* phases) {
  cg_block block = cg_build(problem, rank, ranks);
  const cg_task task = {options->repeat, options->slabs, options->spoil};
  double* x = calloc(block.rows, sizeof(double));
  if (!x) kernel_fail("cg", "not enough memory for this class.");
  kernel_result result = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (options->limit) {
    result.received = cg_run_limit(&task, problem->n, &block, x, phases);
    result.phases = phases;
  } else {
    result.received = cg_run(&task, problem->n, block.first, block.rows, block.width, block.below,
                             block.above, block.local.begin, block.local.column, block.local.value,
                             block.remote.begin, block.remote.column, block.remote.value, x);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  result.seconds = MPI_Wtime() - start;
  for (int i = 0; i < block.rows; ++i) result.checksum += kernel_share(x[i], block.first + i);
  result.checksum = kernel_sum(result.checksum);
  free(x);
  cg_free(&block);
  return result;
}

typedef struct serial_run {
  const cg_problem* problem;
  int ranks, steps;
} serial_run;

static uint64_t serial(const void* run) {
  const serial_run* alone = run;
  return cg_run_serial(alone->problem, alone->ranks, alone->steps);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  kernel_options options = kernel_parse("cg", argc, argv);
  class_size size = classes[0];
  for (unsigned i = 0; i < sizeof classes / sizeof *classes; ++i)
    if (classes[i].name == options.class_name) size = classes[i];
  if (!options.repeat) options.repeat = size.repeat;
  if (!options.work) options.work = size.work;
  if (ranks > CG_PIECES || CG_PIECES % ranks) kernel_fail("cg", "the number of ranks must be 1, 2, 4 or 8.");
  if (options.work > CG_MOST_OFFSETS) kernel_fail("cg", "--work is at most 256.");

  const cg_problem problem = cg_describe(size.n, size.width, options.work);
  kernel_phases phases;
  kernel_result result = {0};
  if (!options.serial) result = measure(&options, &problem, rank, ranks, &phases);
  const serial_run alone = {&problem, ranks, options.repeat};
  const int status = kernel_verify("cg", cg_variant, &options, &result, serial, &alone);
  MPI_Finalize();
  return status;
}
