/* SPDX-License-Identifier: Apache-2.0
 * sort: a bucket sort with MPI_Alltoallv. Classes, set-up, verification. */
#include "sort/sort.h"

typedef struct class_size {
  char name;
  int keys, range, repeat, work; /* of all processes together */
} class_size;

/* With two ranks: 16 KiB, 1 MiB, 8 MiB and 32 MiB to the other a round. */
static const class_size classes[] = {{'S', 1 << 14, 1 << 12, 3, 2},
                                     {'W', 1 << 20, 1 << 16, 12, 8},
                                     {'A', 1 << 23, 1 << 18, 8, 8},
                                     {'B', 1 << 25, 1 << 20, 4, 8}};

static kernel_result measure(const kernel_options* options, const sort_task* task, kernel_phases* phases) {
  kernel_result result = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (options->limit) {
    result.checksum = sort_run_limit(task, &result.received, phases);
    result.phases = phases;
  } else {
    result.checksum = sort_run(task, &result.received);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  result.seconds = MPI_Wtime() - start;
  result.checksum = kernel_sum(result.checksum);
  return result;
}

static uint64_t serial(const void* task) { return sort_run_serial(task); }

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  kernel_options options = kernel_parse("sort", argc, argv);
  class_size size = classes[0];
  for (unsigned i = 0; i < sizeof classes / sizeof *classes; ++i)
    if (classes[i].name == options.class_name) size = classes[i];
  if (!options.repeat) options.repeat = size.repeat;
  if (!options.work) options.work = size.work;
  if (ranks > SORT_MOST_RANKS || SORT_MOST_RANKS % ranks)
    kernel_fail("sort", "the number of ranks must be 1, 2, 4 or 8.");
  if (options.repeat > SORT_MOST_ROUNDS) kernel_fail("sort", "--repeat is at most 64.");

  /* The keys are spread evenly: no process receives half as many again as it has. */
  const int keys = size.keys / ranks;
  const sort_task task = {.keys = keys,
                          .range = size.range / ranks,
                          .room = keys + keys / 2 + 4096,
                          .ranks = ranks,
                          .rank = rank,
                          .rounds = options.repeat,
                          .work = options.work,
                          .slabs = options.slabs,
                          .spoil = options.spoil};
  kernel_phases phases;
  kernel_result result = {0};
  if (!options.serial) result = measure(&options, &task, &phases);
  const int status = kernel_verify("sort", sort_variant, &options, &result, serial, &task);
  MPI_Finalize();
  return status;
}
