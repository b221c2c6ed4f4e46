// SPDX-License-Identifier: Apache-2.0
//
// A Jacobi sweep over an array in blocks of both dimensions. Each block has a layer
// of ghosts, which a persistent update fills while the elements that need none are
// computed. The outermost elements of the array are its boundary.
//
//   mpiexec -n 4 jacobi [ROWS] [COLUMNS] [STEPS]        any number of processes
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>

namespace {

using View = lapwing::LocalView<double>;

/// Along one dimension: which owned elements change, and which of these need no ghosts.
struct Range {
  std::int64_t low, high, inner_low, inner_high;

  Range(std::int64_t start, std::int64_t mine, std::int64_t extent)
      : low(start == 0 ? 1 : 0),
        high(start + mine == extent ? mine - 1 : mine),
        inner_low(std::min(std::max<std::int64_t>(low, 1), high)),
        inner_high(std::max(inner_low, std::min(high, mine - 1))) {}
};

void relax(const View& u, const View& next, std::int64_t i0, std::int64_t i1, std::int64_t j0,
           std::int64_t j1) {
  for (std::int64_t i = i0; i < i1; ++i)
    for (std::int64_t j = j0; j < j1; ++j)
      next(i, j) = 0.25 * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)));
}

void run(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::atoi(argv[1]) : 40, columns = argc > 2 ? std::atoi(argv[2]) : 30;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 50;
  const lapwing::Tasks tasks(MPI_COMM_WORLD, 0);
  std::vector<int> grid(2, 0);
  MPI_Dims_create(tasks.processes(), 2, grid.data());

  std::vector<lapwing_dimension> dimensions{lapwing_block(rows, grid[0], 0),
                                            lapwing_block(columns, grid[1], 1)};
  for (lapwing_dimension& dimension : dimensions) dimension.ghost_below = dimension.ghost_above = 1;
  // Two arrays that take turns, each with its update.
  lapwing::DistributedArray<double> a(tasks, dimensions, grid), b(tasks, dimensions, grid);
  std::vector<std::int64_t> start;  // of this process' block
  for (auto* array : {&a, &b}) {
    array->each([&](const auto& index, double& x) {
      if (start.empty()) start = index;
      x = static_cast<double>((3 * index[0] + 5 * index[1]) % 17);
    });
  }
  lapwing::ArrayRequest updates[] = {lapwing::update_ghosts_init(a, tasks, LAPWING_GHOSTS_FACES),
                                     lapwing::update_ghosts_init(b, tasks, LAPWING_GHOSTS_FACES)};
  const View views[] = {a.view(), b.view()};
  const bool some = !start.empty();
  if (!some) start = {0, 0};
  const Range r(start[0], views[0].extent(0), rows), c(start[1], views[0].extent(1), columns);
  for (int step = 0; step < steps; ++step) {
    const View &u = views[step % 2], &next = views[(step + 1) % 2];
    updates[step % 2].start();
    if (some) relax(u, next, r.inner_low, r.inner_high, c.inner_low, c.inner_high);
    updates[step % 2].wait();
    if (!some) continue;
    relax(u, next, r.low, r.inner_low, c.low, c.high);
    relax(u, next, r.inner_high, r.high, c.low, c.high);
    relax(u, next, r.inner_low, r.inner_high, c.low, c.inner_low);
    relax(u, next, r.inner_low, r.inner_high, c.inner_high, c.high);
  }

  double sum = 0, total = 0;
  (steps % 2 ? b : a).each([&](const auto& index, double x) {
    sum += x * static_cast<double>((index[0] + 2 * index[1]) % 7 + 1);
  });
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (tasks.process_rank() == 0)
    std::printf("jacobi: %lld x %lld, %d steps, checksum %.6E\n", static_cast<long long>(rows),
                static_cast<long long>(columns), steps, total);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc, argv);
  MPI_Finalize();
}
