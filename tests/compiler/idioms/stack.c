// SPDX-License-Identifier: Apache-2.0
// Arrays of variable length whose length turns out to be constant: two of them share their memory, if the
// first ends where its block does. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { many = 65536 };
static double other[many], in[many];

static void fill(double* x, double a) {
  for (int i = 0; i < many; ++i) x[i] = a * i;
}

int main(int argc, char** argv) {
  int rank, n = many;
  double s = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    double v[n];
    fill(v, 1);
    MPI_Send(v, many, MPI_DOUBLE, rank == 0 ? 1 : MPI_PROC_NULL, 1, MPI_COMM_WORLD);
    if (MPI_Recv(in, many, MPI_DOUBLE, rank == 0 ? 1 : MPI_PROC_NULL, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE))
      s += 1;
  }
  {
    double w[n];
    fill(w, -1);
    for (int k = 0; k < 40; ++k)
      for (int i = 0; i < many; ++i) w[i] = w[i] * 0.5 - other[i];
    for (int i = 0; i < many; ++i) s += w[i];
  }
  if (rank == 1) {
    usleep(300000);
    MPI_Recv(in, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(other, many, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  }
  for (int i = 0; i < many; ++i) s += in[i];
  printf("%d: %.3f\n", rank, s);
  MPI_Finalize();
  return 0;
}
