// SPDX-License-Identifier: Apache-2.0
// Who has sent by MPI_Ssend knows that the receive has begun, and so that what its
// receiver did before is over. Four ranks; rank 3 prints in which order it is told.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { many = 400000 };
static double a[many], b[many];
static int rank;

static void tell(void) { MPI_Send(&rank, 1, MPI_INT, 3, 7, MPI_COMM_WORLD); }

static void listen(const char* what) {
  for (int k = 0; k < 2; ++k) {
    int from;
    MPI_Recv(&from, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s %d: from %d\n", what, k, from);
  }
}

// Rank 0's message precedes rank 2's, since rank 1 begins its second receive behind its first.
static void second_receive(void) {
  if (rank == 0) {
    usleep(200000);
    MPI_Ssend(&rank, 1, MPI_INT, 3, 7, MPI_COMM_WORLD);
    MPI_Send(a, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(a, many, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(b, many, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("second receive: %g %g\n", a[many - 1], b[many - 1]);
  } else if (rank == 2) {
    MPI_Ssend(b, many, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    tell();
  } else {
    listen("second receive");
  }
}

// Rank 1's message precedes rank 2's, since its receive begins behind it.
static void receive_behind(void) {
  if (rank == 1) {
    for (int round = 0; round < 150; ++round)
      for (int k = 0; k < many; ++k) a[k] = a[k] * 0.5 + k % (round + 3);
    MPI_Ssend(&rank, 1, MPI_INT, 3, 7, MPI_COMM_WORLD);
    MPI_Recv(b, many, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("receive behind: %g %g\n", a[many - 1], b[many - 1]);
  } else if (rank == 2) {
    MPI_Ssend(b, many, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
    tell();
  } else if (rank == 3) {
    listen("receive behind");
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0; k < many; ++k) a[k] = b[k] = rank;
  MPI_Barrier(MPI_COMM_WORLD);
  second_receive();
  MPI_Barrier(MPI_COMM_WORLD);
  receive_behind();
  MPI_Finalize();
  return 0;
}
