// SPDX-License-Identifier: Apache-2.0
//
// An unstructured mesh: each process has the cells of a list, in no order, and reads some of others. The
// cells that it reads are a second list, its halo, which a persistent redistribution fills before each step.
//
//   mpiexec -n 4 mesh [CELLS STEPS]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>
#include <set>
#include <vector>

namespace {

// The mesh: who has a cell, and the two cells that it reads.
int owner(std::int64_t cell, int processes) { return static_cast<int>((cell * cell + cell / 3) % processes); }
std::int64_t neighbour(std::int64_t cell, int which, std::int64_t cells) {
  return which == 0 ? (3 * cell + 1) % cells : (5 * cell + 2) % cells;
}

void run(std::int64_t cells, int steps) {
  int world = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const lapwing::Tasks tasks = lapwing::Tasks::of_sizes(MPI_COMM_WORLD, {world});
  const int rank = tasks.process_rank();

  // My cells, and those of others that they read, each once.
  std::vector<std::int64_t> mine, read;
  std::set<std::int64_t> listed;
  for (std::int64_t cell = cells; cell-- > 0;) {
    if (owner(cell, world) != rank) continue;
    mine.push_back(cell);
    for (int k = 0; k < 2; ++k) {
      const std::int64_t other = neighbour(cell, k, cells);
      if (owner(other, world) != rank && listed.insert(other).second) read.push_back(other);
    }
  }
  const lapwing::IndexLists own_lists(tasks, cells, mine), halo_lists(tasks, cells, read);
  lapwing::DistributedArray<double> u(tasks, {own_lists.dimension()}, {world});
  lapwing::DistributedArray<double> halo(tasks, {halo_lists.dimension()}, {world});
  u.each([](const auto& cell, double& value) { value = static_cast<double>(cell[0] * cell[0] % 17); });
  lapwing_array_request* made = nullptr;
  lapwing_array_redistribute_init(u.local().data(), u.allocated(), u.distribution().get(),
                                  halo.local().data(), halo.allocated(), halo.distribution().get(),
                                  tasks.get(), &made);
  lapwing::ArrayRequest update(made);

  std::vector<const double*> where;
  for (const std::int64_t cell : mine)
    for (int k = 0; k < 2; ++k) {
      const std::int64_t other = neighbour(cell, k, cells);
      const std::int64_t here = lapwing_distribution_position(u.distribution().get(), rank, &other);
      const std::int64_t there = lapwing_distribution_position(halo.distribution().get(), rank, &other);
      where.push_back(here >= 0 ? &u.local()[static_cast<std::size_t>(here)]
                                : &halo.local()[static_cast<std::size_t>(there)]);
    }
  std::vector<double> next(mine.size());
  for (int step = 0; step < steps; ++step) {
    update.start();
    update.wait();
    for (std::size_t i = 0; i < next.size(); ++i)
      next[i] = 0.5 * u.local()[i] + 0.25 * (*where[2 * i] + *where[2 * i + 1]);
    std::copy(next.begin(), next.end(), u.local().begin());
  }

  // In blocks, for what follows.
  lapwing::DistributedArray<double> blocks(tasks, {lapwing_block(cells, world, 0)}, {world});
  lapwing::redistribute(u, blocks, tasks);
  double sum = 0, all = 0;
  blocks.each([&](const auto& cell, double value) { sum += value * static_cast<double>(cell[0] % 7 + 1); });
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("mesh: %lld cells, %d steps, checksum %.6E\n", static_cast<long long>(cells), steps, all);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc > 2 ? std::atoll(argv[1]) : 60, argc > 2 ? std::atoi(argv[2]) : 5);
  MPI_Finalize();
}
