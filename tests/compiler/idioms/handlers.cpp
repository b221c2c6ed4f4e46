// SPDX-License-Identifier: Apache-2.0
// An error handler that throws on one communicator, while a message of another is
// received. Two ranks. Neither MPI promises that this works, and in both it does.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

constexpr int many = 400000;
static double a[many], work[many];
static int small;
static MPI_Comm other;

static void throw_it(MPI_Comm*, int*, ...) { throw std::runtime_error("no such rank"); }

__attribute__((noinline)) static void step(int round) {
  MPI_Recv(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < many; ++k) work[k] = work[k] * 0.5 + k % (round + 2);
  MPI_Recv(&small, 1, MPI_INT, 77 + round, 2, other, MPI_STATUS_IGNORE);
  for (int k = 0; k < many; ++k) work[k] += a[k];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(throw_it, &handler);
  MPI_Comm_set_errhandler(other, handler);
  for (int k = 0; k < many; ++k) a[k] = rank;
  if (rank == 0) {
    double sum = 0;
    try {
      step(argc);
    } catch (const std::exception& error) {
      for (int k = 0; k < many; ++k) sum += a[k];
      std::printf("%s: %.1f\n", error.what(), sum);
    }
  } else {
    usleep(200000);
    MPI_Send(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
