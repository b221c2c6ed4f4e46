/* SPDX-License-Identifier: Apache-2.0 */
/* A program with a time and a result: "hang" stops before its time is stated, "late" after it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  int rank, sum;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&(int){rank + 1}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(how, "hang") == 0) pause();
  if (rank == 0) printf("sum %d\ntime 1.5 s\nrate 4\n", sum);
  if (strcmp(how, "late") == 0) pause();
  MPI_Finalize();
  return 0;
}
