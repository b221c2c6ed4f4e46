/* SPDX-License-Identifier: Apache-2.0
   Complex numbers without gaps meet receives with gaps, in messages of 8 to 250 KB: two ranks */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { column = 3, stride = 5, most = 16000 };

int main(int argc, char** argv) {
  int rank = 0, wrong = 0;
  MPI_Datatype columns;
  double* dense = malloc(2 * most * sizeof *dense);
  double* spread = malloc(2 * most / column * stride * sizeof *spread);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int count = 540; count <= most; count = count * 5 / 4) {
    const int numbers = count / column * column;
    MPI_Type_vector(numbers / column, column, stride, MPI_C_DOUBLE_COMPLEX, &columns);
    MPI_Type_commit(&columns);
    for (int i = 0; i < 2 * numbers; ++i) dense[i] = i + count;
    for (int i = 0; i < 2 * numbers / column * stride; ++i) spread[i] = 0;
    MPI_Sendrecv(dense, numbers, MPI_C_DOUBLE_COMPLEX, !rank, 1, spread, 1, columns, !rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 * numbers; ++i)
      wrong += spread[i / (2 * column) * 2 * stride + i % (2 * column)] != i + count;
    MPI_Type_free(&columns);
  }
  free(dense);
  free(spread);
  if (wrong != 0) printf("rank %d: %d numbers are wrong\n", rank, wrong);
  MPI_Finalize();
  return wrong != 0;
}
