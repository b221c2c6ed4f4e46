// SPDX-License-Identifier: Apache-2.0
// Objects of main() are destroyed behind MPI_Finalize, tasks and arrays too. Run by ctest on two ranks.
#include <mpi.h>

#include <cstdio>

#include "lapwing/arrays.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const lapwing::Tasks tasks(MPI_COMM_WORLD, 0);
  auto line = lapwing_block(64, 2, 0);
  line.ghost_below = line.ghost_above = 1;
  lapwing::DistributedArray<double> a(tasks, {line}, {2});
  a.each([](const auto& index, double& x) { x = static_cast<double>(index[0]); });
  lapwing::ArrayRequest update = lapwing::update_ghosts_init(a, tasks, LAPWING_GHOSTS_FACES);
  for (int i = 0; i < 3; ++i) {
    update.start();
    update.wait();
  }
  const double wanted = rank == 0 ? 32 : 31, got = a.local()[rank == 0 ? 33 : 0];
  if (got != wanted) std::printf("rank %d FAILED: a ghost is %g, not %g\n", rank, got, wanted);
  MPI_Finalize();
  return got == wanted ? 0 : 1;
}
