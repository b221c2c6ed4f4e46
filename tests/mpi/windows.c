/* SPDX-License-Identifier: Apache-2.0 */
/* Refers to windows, as programs over PETSc do, and makes one only where it has an argument. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { count = 100000 };
  double* data = malloc(count * sizeof *data);
  int rank, size;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc > 1) {
    MPI_Win_create(data, count * sizeof *data, sizeof *data, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
  }
  if (rank == 0) MPI_Send(data, count, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  free(data);
  return 0;
}
