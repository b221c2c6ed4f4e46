// SPDX-License-Identifier: Apache-2.0
// MPI_Wait calls the free function of a generalised request, which gives a buffer back.
// Two ranks.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { many = 400000 };
static double in[many];
static int ask(void* x, MPI_Status* s) {
  (void)x;
  MPI_Status_set_elements(s, MPI_INT, 0);
  MPI_Status_set_cancelled(s, 0);
  s->MPI_SOURCE = MPI_UNDEFINED;
  s->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int let_go(void* x) {
  double* p = x;
  for (int k = 0; k < many; ++k) p[k] = 7;
  free(p);
  return MPI_SUCCESS;
}
static int cancel(void* x, int done) { return (void)x, (void)done, MPI_SUCCESS; }
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request r;
    double* p = malloc(many * sizeof *p);
    for (int k = 0; k < many; ++k) p[k] = 1;
    MPI_Grequest_start(ask, let_go, cancel, p, &r);
    MPI_Grequest_complete(r);
    MPI_Send(p, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  } else {
    double s = 0;
    usleep(300000);
    MPI_Recv(in, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) s += in[i];
    printf("received %.1f\n", s);
  }
  MPI_Finalize();
}
