/* SPDX-License-Identifier: Apache-2.0 */
/* Of stuck.c, compiled without --sets: its calls act on their communicators as they are. */
#include <mpi.h>

void of_a_library(int rank, int how) {
  int x = 1, y;
  if (how == 0 && rank) MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (how == 0 && !rank) MPI_Barrier(MPI_COMM_WORLD);
  if (how == 1 && rank) MPI_Barrier(MPI_COMM_WORLD);
}
