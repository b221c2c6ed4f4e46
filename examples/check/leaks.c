/* SPDX-License-Identifier: Apache-2.0
 * Leaks. A communicator and a datatype that are made once for each step and never freed, and a request that
 * is started and never completed. MPI permits the former: the checker warns of them, and with --leaks=error
 * ends the job. The latter is an error in any case; a word on the command line adds it.
 *
 *   lapwing check -- mpiexec -n 2 ./leaks [request] */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, step, number, sum = 0;
  MPI_Comm half;
  MPI_Datatype column;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (step = 0; step < 3; ++step) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half); /* MPI_Comm_free is missing */
    MPI_Allreduce(&rank, &number, 1, MPI_INT, MPI_SUM, half);
    sum += number;
  }
  MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column); /* MPI_Type_free is missing */
  MPI_Type_commit(&column);
  if (argc > 1) MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
  if (rank == 0) printf("leaks: sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
