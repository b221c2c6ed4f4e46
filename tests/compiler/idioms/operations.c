// SPDX-License-Identifier: Apache-2.0
// A reduction that does not block, by an operation of the program's own: MPI runs that in whatever call comes
// next, and it shares memory with what the program computes between its calls. Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { many = 131072, few = 4096 };
static double in[many], out[many], a[many], shared[few];

static void largest(void* x, void* y, int* n, MPI_Datatype* type) {
  const double* p = x;
  double* q = y;
  (void)type;
  for (int i = 0; i < *n; ++i) q[i] = shared[i % few] = p[i] > q[i] ? p[i] : q[i];
}

static double work(void) {
  double s = 0;
  for (int i = 0; i < few; ++i) shared[i] = i;
  for (int k = 0; k < 30000; ++k)
    for (int i = 1; i < few; ++i) shared[i] = shared[i] * 0.999 + shared[i - 1] * 0.001;
  for (int i = 0; i < few; ++i) s += shared[i];
  return s;
}

int main(int argc, char** argv) {
  int rank;
  double s = 0, t = 0;
  MPI_Op op;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op_create(largest, 1, &op);
  for (int i = 0; i < many; ++i) in[i] = 10 + rank, a[i] = i;
  if (rank == 1) usleep(100000);
  MPI_Iallreduce(in, out, many, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
  if (rank == 0) {
    MPI_Recv(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    s = work();
    for (int i = 0; i < many; ++i) t += a[i];
  } else {
    MPI_Send(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("%.6f %.0f %.0f\n", s, t, out[5]);
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
