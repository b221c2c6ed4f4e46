// SPDX-License-Identifier: Apache-2.0
// A request whose start in an earlier call was on a communicator that returns its errors, and whose wait is
// looked at. Two ranks; Open MPI, whose waits raise an error where its request belongs.
#include <mpi.h>
#include <stdio.h>

#include "work.h"

enum { many = 400000, few = 1000 };
static double a[many], b[many], work[work_length];
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Comm other;
__attribute__((noinline)) static int step(int k) {
  if (k == 0) MPI_Irecv(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
  const int error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  work_on(work, 600);
  if (k == 0) MPI_Irecv(b, few, MPI_DOUBLE, 1, 2, other, &request);
  return error;
}
int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_errhandler(other, MPI_ERRORS_RETURN);
  if (rank == 0) {
    for (int k = 0; k < 2; ++k) {
      int class = 0;
      const int error = step(k);
      MPI_Error_class(error, &class);
      printf("%d: %s %.1f\n", k,
             class == MPI_ERR_TRUNCATE ? "truncated"
             : class                   ? "failed"
                                       : "received",
             work[3]);
    }
  } else {
    MPI_Send(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    MPI_Send(a, many, MPI_DOUBLE, 0, 2, other);
  }
  MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
