// SPDX-License-Identifier: Apache-2.0
// An error handler notes that a receive has failed, and the program goes by the note.
// Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
enum { many = 400000 };
static double a[2 * many], work[many];
static int failed;
static void note(MPI_Comm* c, int* e, ...) {
  (void)c, (void)e;
  failed = 1;
}
__attribute__((noinline)) static void step(int round) {
  MPI_Request r;
  MPI_Irecv(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  if (failed) puts("failed");
  for (int k = 0; k < many; ++k) work[k] = work[k] * 0.5 + k % (round + 2);
  work[1] += a[3];
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Errhandler handler;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_create_errhandler(note, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  for (int k = 0; k < many; ++k) a[k] = rank;
  if (rank == 0) {
    step(argc);
    printf("failed %d work %.1f\n", failed, work[5]);
  } else {
    usleep(300000);
    MPI_Send(a, many + 100, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Finalize();
}
