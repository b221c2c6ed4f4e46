// SPDX-License-Identifier: Apache-2.0
//
// A multiblock code: three blocks of a domain lie side by side. Each is a task of its
// own size that relaxes its block, rows distributed; neighbours send each other the
// columns next to their common boundary, by persistent requests.
//
//   mpiexec -n 6 multiblock [ROWS] [COLUMNS] [STEPS]
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>

namespace {

constexpr int blocks = 3;
using View = lapwing::LocalView<double>;

/// Rows of the neighbours above and below into the ghost rows.
void exchange_rows(const View& u, const lapwing::Tasks& tasks) {
  const int rank = tasks.process_rank(), n = static_cast<int>(u.extent(1));
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank + 1 < tasks.processes() ? rank + 1 : MPI_PROC_NULL;
  const std::int64_t rows = u.extent(0);
  MPI_Sendrecv(&u(0, 0), n, MPI_DOUBLE, up, 1, &u(rows, 0), n, MPI_DOUBLE, down, 1, tasks.comm(),
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u(rows - 1, 0), n, MPI_DOUBLE, down, 2, &u(-1, 0), n, MPI_DOUBLE, up, 2, tasks.comm(),
               MPI_STATUS_IGNORE);
}

/// Inner elements become the mean of their neighbours; the first and last row of the block are its boundary.
void relax(const View& u, std::vector<double>& next, std::int64_t first, std::int64_t last) {
  const std::int64_t columns = u.extent(1);
  for (std::int64_t i = first; i < last; ++i)
    for (std::int64_t j = 1; j < columns - 1; ++j)
      next[static_cast<std::size_t>(i * columns + j)] =
          0.25 * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)));
  for (std::int64_t i = first; i < last; ++i)
    for (std::int64_t j = 1; j < columns - 1; ++j) u(i, j) = next[static_cast<std::size_t>(i * columns + j)];
}

int run(int argc, char** argv) {
  const std::int64_t rows = argc > 1 ? std::atoi(argv[1]) : 12, columns = argc > 2 ? std::atoi(argv[2]) : 9;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 20;
  int world = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (world < 6) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      std::fprintf(stderr,
                   "usage: mpiexec -n 6 multiblock [ROWS] [COLUMNS] [STEPS], on 6 processes or more\n");
    return 2;
  }
  const lapwing::Tasks tasks = lapwing::Tasks::of_sizes(
      MPI_COMM_WORLD, {world / 2, world - world / 2 - world / 6, world / 6});  // 6: 3, 2, 1
  const int task = tasks.rank(), processes = tasks.processes();

  // Equal shares of rows, with a ghost row on both sides.
  std::vector<std::int64_t> bounds;
  for (int p = 0; p <= processes; ++p) bounds.push_back(rows * p / processes);
  lapwing_dimension of_rows = lapwing_irregular(rows, bounds.data(), 0);
  of_rows.ghost_below = of_rows.ghost_above = 1;
  lapwing::DistributedArray<double> block(tasks, {of_rows, lapwing_collapsed(columns)}, {processes});
  block.each([&](const auto& index, double& x) {
    x = static_cast<double>((3 * index[0] + 5 * index[1] + 7 * task) % 17);
  });

  // My outermost inner columns go to the neighbours' boundary columns.
  std::vector<lapwing_array_request*> requests;
  for (const int side : {-1, 1}) {
    const int neighbour = task + side;
    if (neighbour < 0 || neighbour >= blocks) continue;
    const auto inner = block.distribution().section({0, side < 0 ? 1 : columns - 2}, {rows, 1});
    const auto outer = block.distribution().section({0, side < 0 ? 0 : columns - 1}, {rows, 1});
    double* u = block.local().data();
    lapwing_array_send_init(u, block.allocated(), inner.get(), neighbour, 5, tasks.get(),
                            &requests.emplace_back());
    lapwing_array_recv_init(u, block.allocated(), outer.get(), neighbour, 5, tasks.get(),
                            &requests.emplace_back());
  }

  const View u = block.view();
  std::vector<double> next(block.local().size());
  const auto rank = static_cast<std::size_t>(tasks.process_rank());
  const std::int64_t first = bounds[rank] == 0 ? 1 : 0;
  const std::int64_t last = u.extent(0) - (bounds[rank + 1] == rows ? 1 : 0);
  const int count = static_cast<int>(requests.size());
  for (int step = 0; step < steps; ++step) {
    lapwing_array_startall(count, requests.data());
    exchange_rows(u, tasks);
    lapwing_array_waitall(count, requests.data(), nullptr);
    relax(u, next, first, last);
  }

  double sum = 0, total = 0;
  block.each([&](const auto& index, double x) {
    sum += x * static_cast<double>((index[0] + 2 * index[1] + 3 * task) % 7 + 1);
  });
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (task == 0 && rank == 0)
    std::printf("multiblock: %d blocks of %lld x %lld, %d steps, checksum %.6E\n", blocks,
                static_cast<long long>(rows), static_cast<long long>(columns), steps, total);
  for (lapwing_array_request*& request : requests) lapwing_array_request_free(&request);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
