// SPDX-License-Identifier: Apache-2.0
// The main function of a benchmark that runs on all ranks of a job.
#pragma once

#include <mpi.h>

#include <cstdio>

#include "support/texts.hpp"

namespace lapwing::bench {

/// Calls `benchmark(rank, size)`, which returns the status of the process, between MPI_Init and MPI_Finalize.
/// Where it throws BadOption, on all ranks, rank 0 says why and prints `usage`, and the status is 2.
template <typename Benchmark>
int mpi_main(int argc, char** argv, const char* name, const char* usage, Benchmark benchmark) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, status = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    status = benchmark(rank, size);
  } catch (const BadOption& e) {
    if (rank == 0) std::fprintf(stderr, "%s: %s\n%s", name, e.what(), usage);
  }
  MPI_Finalize();
  return status;
}

}  // namespace lapwing::bench
