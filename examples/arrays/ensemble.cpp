// SPDX-License-Identifier: Apache-2.0
//
// An ensemble: up to three models of one field, each a task with its share of the processes, and
// collective calls between them. In each step a task gets a band of rows of all models (alltoall)
// and forms their mean; the bands of all tasks are the mean field (allgather), which each model
// draws near to. The same calls with plain arguments tell what a task knows as a whole: its weight,
// and its distances from the mean. Collective calls are those of C.
//
//   mpiexec -n 6 ensemble [BAND] [COLUMNS] [STEPS]        any number of processes
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>
#include <numeric>

namespace {

using Array = lapwing::DistributedArray<double>;

void alltoall(const Array& from, Array& to, const lapwing::Tasks& tasks) {
  lapwing_array_alltoall(from.local().data(), from.allocated(), from.distribution().get(), to.local().data(),
                         to.allocated(), to.distribution().get(), tasks.get());
}

void allgather(const Array& part, Array& whole, const lapwing::Tasks& tasks) {
  lapwing_array_allgather(part.local().data(), part.allocated(), part.distribution().get(),
                          whole.local().data(), whole.allocated(), whole.distribution().get(), tasks.get());
}

void run(int argc, char** argv) {
  const std::int64_t band = argc > 1 ? std::atoi(argv[1]) : 5, columns = argc > 2 ? std::atoi(argv[2]) : 12;
  const int steps = argc > 3 ? std::atoi(argv[3]) : 4;
  int world_rank = 0, world = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const int models = std::min(world, 3);
  const lapwing::Tasks tasks(MPI_COMM_WORLD, world_rank * models / world);
  const int model = tasks.rank(), processes = tasks.processes();
  const std::int64_t all_rows = models * band;

  const std::vector<lapwing_dimension> by_rows{lapwing_block(all_rows, processes, 0),
                                               lapwing_collapsed(columns)};
  const lapwing_dimension by_columns = lapwing_block(columns, processes, 0);
  Array field(tasks, by_rows, {processes}), mean(tasks, by_rows, {processes});
  Array all(tasks, {lapwing_collapsed(all_rows), by_columns}, {processes});  // one band of all models
  Array mine(tasks, {lapwing_collapsed(band), by_columns}, {processes});     // of the mean
  field.each([&](const auto& index, double& x) {
    x = static_cast<double>((7 * index[0] + 3 * index[1] + 11 * model) % 13);
  });

  const auto count = static_cast<std::size_t>(models);
  std::vector<double> weights(count), far(count), reported(count);
  const double weight = model + 1;
  lapwing_tasks_allgather(&weight, weights.data(), 1, MPI_DOUBLE, tasks.get());
  const double sum_of_weights = std::accumulate(weights.begin(), weights.end(), 0.0);
  double checksum = 0, total = 0;
  for (int step = 0; step < steps; ++step) {
    alltoall(field, all, tasks);
    const std::size_t elements = mine.local().size();
    for (std::size_t p = 0; p < elements; ++p) {
      mine.local()[p] = 0;
      for (std::size_t m = 0; m < count; ++m)
        mine.local()[p] += weights[m] / sum_of_weights * all.local()[m * elements + p];
    }
    allgather(mine, mean, tasks);

    std::fill(far.begin(), far.end(), 0.0);
    auto near = mean.local().begin();  // in the same distribution
    field.each([&](const auto& index, double& x) {
      double& farthest = far[static_cast<std::size_t>(index[0] / band)];
      farthest = std::max(farthest, std::abs(*near - x));
      x += 0.25 * (*near++ - x);
    });
    // All processes of a task have plain arguments alike.
    MPI_Allreduce(MPI_IN_PLACE, far.data(), models, MPI_DOUBLE, MPI_MAX, tasks.comm());
    lapwing_tasks_alltoall(far.data(), reported.data(), 1, MPI_DOUBLE, tasks.get());
    for (std::size_t m = 0; m < count && tasks.process_rank() == 0; ++m)
      checksum += reported[m] * (3 * model + static_cast<int>(m) + 1);
  }

  field.each([&](const auto& index, double x) {
    checksum += (model + 1) * x * static_cast<double>((index[0] + 2 * index[1]) % 7 + 1);
  });
  MPI_Reduce(&checksum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world_rank == 0)
    std::printf("ensemble: %d models of %lld x %lld, %d steps, checksum %.6E\n", models,
                static_cast<long long>(all_rows), static_cast<long long>(columns), steps, total);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc, argv);
  MPI_Finalize();
}
