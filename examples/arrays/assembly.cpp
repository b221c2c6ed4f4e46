// SPDX-License-Identifier: Apache-2.0
//
// An assembly by cells, as finite elements have it: nodes on a torus, and a cell between
// each four of them. A process has a block of the nodes and computes the cells that begin
// at these; the nodes behind its block are ghosts. Values of nodes are brought there before
// the cells are computed, and what the cells add to ghosts goes to the nodes' owners.
//
//   mpiexec -n 4 assembly [ROWS] [COLUMNS] [STEPS]        any number of processes
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>

namespace {

using Array = lapwing::DistributedArray<double>;
using View = lapwing::LocalView<double>;

struct Nodes {
  View stiffness, x, load;

  /// The cells from (i0, j0) to before (i1, j1), each at its four nodes.
  void add_cells(std::int64_t i0, std::int64_t i1, std::int64_t j0, std::int64_t j1) const {
    for (std::int64_t i = i0; i < i1; ++i)
      for (std::int64_t j = j0; j < j1; ++j) {
        const double k =
            (stiffness(i, j) + stiffness(i, j + 1)) + (stiffness(i + 1, j) + stiffness(i + 1, j + 1));
        const double force = 0.0075 * k * ((x(i, j) + x(i + 1, j + 1)) - (x(i, j + 1) + x(i + 1, j)));
        load(i, j) -= force;
        load(i, j + 1) += force;
        load(i + 1, j) += force;
        load(i + 1, j + 1) -= force;
      }
  }
};

void run(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::atoi(argv[1]) : 40, columns = argc > 2 ? std::atoi(argv[2]) : 30;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 50;
  const lapwing::Tasks tasks(MPI_COMM_WORLD, 0);
  std::vector<int> grid(2, 0);
  MPI_Dims_create(tasks.processes(), 2, grid.data());
  std::vector<lapwing_dimension> dimensions{lapwing_block(rows, grid[0], 0),
                                            lapwing_block(columns, grid[1], 1)};
  for (lapwing_dimension& dimension : dimensions) dimension.ghost_above = 1;
  const std::vector<int> periodic{1, 1};

  Array stiffness(tasks, dimensions, grid), x(tasks, dimensions, grid), load(tasks, dimensions, grid);
  bool some = false;
  stiffness.each([](const auto& index, double& k) { k = static_cast<double>(1 + index[0] * index[1] % 3); });
  x.each([&](const auto& index, double& value) {
    some = true;
    value = static_cast<double>((3 * index[0] + 5 * index[1]) % 17);
  });
  const Nodes nodes{stiffness.view(), x.view(), load.view()};
  const std::int64_t m = some ? nodes.x.extent(0) : 0, n = some ? nodes.x.extent(1) : 0;

  // The stiffness stays as it is: once is enough.
  lapwing::update_ghosts(stiffness, tasks, LAPWING_GHOSTS_CORNERS, periodic);
  for (int step = 0; step < steps; ++step) {
    lapwing::ArrayRequest update = lapwing::iupdate_ghosts(x, tasks, LAPWING_GHOSTS_CORNERS, periodic);
    std::fill(load.local().begin(), load.local().end(), 0.0);
    nodes.add_cells(0, m - 1, 0, n - 1);  // these need no ghosts
    update.wait();
    if (some) {
      nodes.add_cells(m - 1, m, 0, n);
      nodes.add_cells(0, m - 1, n - 1, n);
    }
    lapwing::add_ghosts(load, tasks, LAPWING_GHOSTS_CORNERS, periodic);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) nodes.x(i, j) += nodes.load(i, j);
  }

  double sum = 0, total = 0;
  x.each([&](const auto& index, double value) {
    sum += value * static_cast<double>((index[0] + 2 * index[1]) % 7 + 1);
  });
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (tasks.process_rank() == 0)
    std::printf("assembly: %lld x %lld, %d steps, checksum %.6E\n", static_cast<long long>(rows),
                static_cast<long long>(columns), steps, total);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc, argv);
  MPI_Finalize();
}
