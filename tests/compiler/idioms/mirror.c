// SPDX-License-Identifier: Apache-2.0
// A ring buffer whose memory is mapped twice, one behind the other. Two ranks.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "work.h"

enum { many = 131072 };  // 1 MiB
static double b[many], work[work_length];
__attribute__((noinline)) static void produce(double* ring) {
  for (int i = 0; i < many; ++i) ring[i] = 1;
  MPI_Send(ring, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  work_on(work, 100);
  memset(ring + many, 0, many * sizeof(double));  // the same memory
  MPI_Send(ring + many, many, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    const size_t bytes = many * sizeof(double);
    const int fd = memfd_create("ring", 0);
    if (ftruncate(fd, (off_t)bytes)) return 1;
    char* at = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    mmap(at + bytes, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    produce((double*)at);
  } else {
    for (int k = 1; k <= 2; ++k) {
      double s = 0;
      usleep(300000);
      MPI_Recv(b, many, MPI_DOUBLE, 0, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (int i = 0; i < many; ++i) s += b[i];
      printf("%d: %.1f\n", k, s);
    }
  }
  MPI_Finalize();
  return 0;
}
