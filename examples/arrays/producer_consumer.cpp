// SPDX-License-Identifier: Apache-2.0
//
// The producer and consumer of HPF/MPI (figure 2): a task sends an array that
// it has in blocks of rows to one that wants it in blocks of columns.
//
//   mpiexec -n 6 producer_consumer                                     one program
//   mpiexec -n 4 producer_consumer producer : -n 2 producer_consumer consumer
#include <cstdio>
#include <lapwing/arrays.hpp>
#include <string_view>

namespace {

constexpr int n = 8, times = 10, tag = 99;

void produce(lapwing::DistributedArray<double>& a, int time) {
  a.each([&](const auto& index, double& x) {
    x = 10000.0 * time + 100.0 * static_cast<double>(index[0] + 1) + static_cast<double>(index[1] + 1);
  });
}

double consume(lapwing::DistributedArray<double>& b) {
  double sum = 0;
  b.each([&](const auto& index, double x) {
    sum += x * static_cast<double>((index[0] * n + index[1]) % 13 + 1);
  });
  return sum;
}

int run(int argc, char** argv) {
  int world = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (argc == 1 && world < 3) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::fprintf(stderr, "usage: mpiexec -n 6 producer_consumer, on 3 processes or more\n");
    return 2;
  }
  const lapwing::Tasks tasks = argc > 1
                                   ? lapwing::Tasks::of_programs()
                                   : lapwing::Tasks::of_sizes(MPI_COMM_WORLD, {world - world / 3, world / 3});
  const bool producer = argc > 1 ? std::string_view(argv[1]) == "producer" : tasks.rank() == 0;
  const int processes = tasks.processes();
  if (producer) {
    lapwing::DistributedArray<double> a(tasks, {lapwing_block(n, processes, 0), lapwing_collapsed(n)},
                                        {processes});
    for (int time = 1; time <= times; ++time) {
      produce(a, time);
      lapwing::send(a, 1, tag, tasks);
    }
    return 0;
  }
  lapwing::DistributedArray<double> b(tasks, {lapwing_collapsed(n), lapwing_block(n, processes, 0)},
                                      {processes});
  double sum = 0, all = 0;
  for (int time = 1; time <= times; ++time) {
    lapwing::recv(b, 0, tag, tasks);
    sum += consume(b);
  }
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, tasks.comm());
  if (tasks.process_rank() == 0)
    std::printf("producer_consumer: %d arrays from %d to %d processes, checksum %.0f\n", times,
                tasks.processes(0), processes, all);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
