// SPDX-License-Identifier: Apache-2.0
// Two processes that share the memory of a file: rank 0 has read it when it tells rank 1
// that it may write there.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
enum { many = 400000 };
__attribute__((noinline)) static double look(const double* shared) {
  double s = 0;
  int token[4] = {0};
  for (int round = 0; round < 300; ++round)
    for (int k = 0; k < many; ++k) s += shared[k] * (round + 1);
  MPI_Send(token, 4, MPI_INT, 1, 6, MPI_COMM_WORLD);
  return s;
}
int main(int argc, char** argv) {
  int rank, token[4];
  const char* name = "shared.bin";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int fd = open(name, O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, many * 8)) abort();
  double* shared = mmap(NULL, many * 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (rank == 0)
    for (int k = 0; k < many; ++k) shared[k] = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%.1f\n", look(shared));
  } else {
    MPI_Recv(token, 4, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < many; ++k) shared[k] = 7;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  MPI_Finalize();
}
