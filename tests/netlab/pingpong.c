/* SPDX-License-Identifier: Apache-2.0 */
/* pingpong BYTES TIMES [STATUS]: each rank says where it is, ranks 0 and 1 send a checked message to and
   fro, rank 0 prints the bandwidth, and the last rank ends with STATUS. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void bounce(char* data, int bytes, int rank) {
  if (rank == 0) MPI_Send(data, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(data, bytes, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static int status;

/* MPICH before 4.2 over UCX can hang in MPI_Finalize when cores are scarce: a rank that waits there for the
   last barrier no longer serves the others. All has been said and checked by then, so the rank just ends. */
static void end_unfinalized(int signal_number) { _exit(status); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  const int bytes = atoi(argv[1]), times = atoi(argv[2]);
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  printf("rank %d host %s\n", rank, host);
  fflush(stdout);

  char* data = malloc((size_t)bytes);
  for (int i = 0; i < bytes; i++) data[i] = rank == 0 ? (char)(i * 7 + i / 251) : 0;
  if (rank < 2 && ranks > 1) {
    bounce(data, bytes, rank); /* connects, and empties the limiter's bucket */
    const double begin = MPI_Wtime();
    for (int i = 0; i < times; i++) bounce(data, bytes, rank);
    const double seconds = MPI_Wtime() - begin;
    for (int i = 0; i < bytes; i++)
      if (data[i] != (char)(i * 7 + i / 251)) MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 0) printf("MB/s %.2f\n", 2e-6 * bytes * times / seconds);
  }
  free(data);
  fflush(stdout);
  status = rank == ranks - 1 && argc > 3 ? atoi(argv[3]) : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  signal(SIGALRM, end_unfinalized);
  alarm(3);
  if (getenv("PINGPONG_STUCK")) pause();
  MPI_Finalize();
  return status;
}
