// SPDX-License-Identifier: Apache-2.0
// As the case `reads` of cases.c, with another thread that has nothing to do with it.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

int main(int argc, char** argv) {
  constexpr int n = 400000;
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::unique_ptr<int[]> a(new int[n]{}), own(new int[n]{});
  double work[4096] = {};
  std::thread other([&own] {
    for (int round = 0; round < 200; ++round)
      for (int i = 1; i < n; ++i) own[i] = own[i - 1] + round;
  });
  if (rank == 0) {
    for (int i = 0; i < n; ++i) a[i] = i % 7;
    usleep(200000);
    MPI_Send(a.get(), n, MPI_INT, 1, 5, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(a.get(), n, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < 4096; ++i) work[i] = work[i - 1] * 0.5 + i;
    long sum = 0;
    for (int i = 0; i < n; ++i) sum += a[i];  // reads
    std::printf("%ld %g\n", sum, work[4095]);
  }
  other.join();
  if (own[5] == 1) std::printf("%d\n", own[5]);
  MPI_Finalize();
}
