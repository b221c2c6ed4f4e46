// SPDX-License-Identifier: Apache-2.0
// The parts of the program `redistribute`.
#pragma once

#include <mpi.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/json_line.hpp"

namespace lapwing::bench {

struct RedistributeOptions {
  std::string what = "transfer";
  std::vector<std::string> cases;  ///< empty: all
  std::vector<std::string> sizes{"1000", "2000"};
  int rounds = 30;
  double seconds = 10;  ///< for one case and size; fewer rounds then
};

/// Whole matrices against pdgemr2d; false if a result was wrong.
bool measure_transfers(const RedistributeOptions& options);
/// Small persistent ones against an exchange written by hand.
bool measure_small(const RedistributeOptions& options);
/// Index lists of regular distributions against the closed form and against MPI_Alltoallv by hand.
bool measure_lists(const RedistributeOptions& options);
/// One process' part of schedules between a thousand simulated ones.
bool measure_construction(const RedistributeOptions& options);

/// Processor time of this process.
inline double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

inline double worst_of_all(double mine) {
  double worst = 0;
  MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

inline bool all_agree(bool mine) {
  int right = mine, all = 0;
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

/// Seconds of the slowest process from a common start, and processor seconds a process.
struct Taken {
  double seconds = 0, cpu = 0;
};

template <typename F>
Taken time_together(F perform) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double cpu = cpu_seconds(), began = MPI_Wtime();
  perform();
  double mine[2] = {MPI_Wtime() - began, 0}, sum = 0;
  mine[1] = cpu_seconds() - cpu;
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&mine[1], &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return {worst_of_all(mine[0]), sum / size};
}

}  // namespace lapwing::bench
