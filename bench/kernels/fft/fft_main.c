/* SPDX-License-Identifier: Apache-2.0
 * fft: a spectral method with MPI_Alltoall. Classes, set-up, verification. */
#include <math.h>
#include <stdlib.h>

#include "fft/fft.h"

typedef struct class_size {
  char name;
  int n, repeat;
} class_size;

/* With two ranks: 16 KiB, 1 MiB, 8 MiB and 64 MiB to the other a step. */
static const class_size classes[] = {{'S', 16, 2}, {'W', 64, 12}, {'A', 128, 8}, {'B', 256, 3}};

static kernel_result measure(const kernel_options* options, const fft_task* task, kernel_phases* phases) {
  const size_t mine = (size_t)task->n / task->ranks * task->n * task->n;
  const uint64_t first = (uint64_t)task->rank * mine;
  fft_complex* slab = malloc(sizeof *slab * mine);
  if (!slab) kernel_fail("fft", "not enough memory for this class.");
  for (size_t i = 0; i < mine; ++i) slab[i] = fft_start(first + i);
  kernel_result result = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (options->limit) {
    result.received = fft_run_limit(task, slab, phases);
    result.phases = phases;
  } else {
    result.received = fft_run(task, slab);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  result.seconds = MPI_Wtime() - start;
  for (size_t i = 0; i < mine; ++i)
    result.checksum +=
        kernel_share(slab[i].re, 2 * (first + i)) + kernel_share(slab[i].im, 2 * (first + i) + 1);
  result.checksum = kernel_sum(result.checksum);
  free(slab);
  return result;
}

static uint64_t serial(const void* task) { return fft_run_serial(task); }

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  kernel_options options = kernel_parse("fft", argc, argv);
  class_size size = classes[0];
  for (unsigned i = 0; i < sizeof classes / sizeof *classes; ++i)
    if (classes[i].name == options.class_name) size = classes[i];
  if (!options.repeat) options.repeat = size.repeat;
  if (!options.work) options.work = 1;
  if (size.n % ranks)
    kernel_fail("fft", "the number of ranks must divide 16, 64, 128 or 256, as the class has it.");

  const double pi = acos(-1.0);
  fft_complex roots[FFT_MOST];
  for (int k = 0; k < size.n; ++k)
    roots[k] = (fft_complex){cos(2.0 * pi * k / size.n), -sin(2.0 * pi * k / size.n)};
  const fft_task task = {size.n,       ranks,         rank,          options.repeat,
                         options.work, options.slabs, options.spoil, options.in_order,
                         roots};
  kernel_phases phases;
  kernel_result result = {0};
  if (!options.serial) result = measure(&options, &task, &phases);
  const int status = kernel_verify("fft", fft_variant, &options, &result, serial, &task);
  MPI_Finalize();
  return status;
}
