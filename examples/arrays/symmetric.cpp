// SPDX-License-Identifier: Apache-2.0
//
// The symmetric part of a matrix, (A + A^T) / 2, in one call: the matrix is transposed, scaled and added
// while it goes from one distribution to another.
//
//   mpiexec -n 4 symmetric [N]
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>

namespace {

void run(std::int64_t n) {
  int world = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  const lapwing::Tasks tasks = lapwing::Tasks::of_sizes(MPI_COMM_WORLD, {world});

  // Rows dealt out in turn; that they are elsewhere than its columns is the call's matter.
  lapwing::DistributedArray<double> a(tasks, {lapwing_cyclic(n, 2, 0), lapwing_collapsed(n)}, {world});
  a.each([](const auto& i, double& x) { x = static_cast<double>((3 * i[0] + 5 * i[1] * i[1]) % 17); });
  lapwing::DistributedArray<double> s(tasks, {lapwing_cyclic(n, 2, 0), lapwing_collapsed(n)}, {world});
  s.local() = a.local();
  lapwing::transform(LAPWING_OP_TRANSPOSE, 0.5, a, 0.5, s, tasks);

  double sum = 0, all = 0;
  s.each([&](const auto& i, double& x) { sum += x * static_cast<double>((i[0] + 2 * i[1]) % 7 + 1); });
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (tasks.process_rank() == 0)
    std::printf("symmetric: %lld x %lld, checksum %.6E\n", static_cast<long long>(n),
                static_cast<long long>(n), all);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc > 1 ? std::atoll(argv[1]) : 12);
  MPI_Finalize();
  return 0;
}
