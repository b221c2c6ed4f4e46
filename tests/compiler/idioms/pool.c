// SPDX-License-Identifier: Apache-2.0
// A pool that gives a slot out again, by a function that says that it gives fresh memory.
// Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
enum { many = 400000, slots = 4 };
static double pool[slots][many], in[many];
static unsigned char used[slots];
__attribute__((malloc, noinline)) static double* get(void) {
  for (int i = 0; i < slots; ++i)
    if (!used[i]) return used[i] = 1, pool[i];
  return NULL;
}
__attribute__((noinline)) static void put(double* p) { used[(p - pool[0]) / many] = 0; }
__attribute__((noinline)) static double step(int k) {
  double s = 0;
  double* p = get();
  for (int i = 0; i < many; ++i) p[i] = 1;
  MPI_Send(p, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  put(p);
  double* q = get();
  for (int i = 0; i < many; ++i) q[i] = 7 + i % (k + 1);
  for (int i = 0; i < many; ++i) s += q[i];
  put(q);
  return s;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    printf("%.1f\n", step(argc));
  } else {
    double s = 0;
    usleep(300000);
    MPI_Recv(in, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) s += in[i];
    printf("received %.1f\n", s);
  }
  MPI_Finalize();
}
