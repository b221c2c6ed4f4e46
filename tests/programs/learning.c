/* SPDX-License-Identifier: Apache-2.0
 * Two ranks that communicate as the argument says, in one loop. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { length = 1 << 20, faces = 4, before_sending = 2000, before_use = 4000 }; /* bytes; microseconds */

static char* buffer;   /* of `length` bytes, which one rank sends and the other receives */
static char* incoming; /* of an exchange */
static long sum;

static void use(const char* bytes) {
  for (int i = 0; i < length; ++i) sum += bytes[i];
}

static void answer(int rank) {
  if (rank == 0) {
    MPI_Recv(&sum, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Send(&sum, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD);
  }
}

/* Large messages go one way and short answers the other; each message is used some time after it has come. */
static void one_way(int rank, const char* how) {
  MPI_Request request;
  if (rank == 0) {
    usleep(before_sending);
    if (strcmp(how, "isend") == 0) {
      MPI_Isend(buffer, length, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(buffer, length, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    }
  } else if (strcmp(how, "blocking") == 0) {
    MPI_Recv(buffer, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Irecv(buffer, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
    if (strcmp(how, "all") == 0) {
      MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    } else if (strcmp(how, "any") == 0) {
      int index;
      MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    } else if (strcmp(how, "some") == 0) {
      int done, index;
      MPI_Waitsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
    } else {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 1) {
    usleep(before_use);
    use(buffer);
  }
  answer(rank);
}

/* Both ranks send, between the posting of a receive and its wait, and use what has come some time later. */
static void exchange(int rank) {
  MPI_Request request;
  MPI_Irecv(incoming, length, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request);
  MPI_Send(buffer, length, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  usleep(before_use);
  use(incoming);
}

/* Several messages of one size are waited for at once, and used at once: there is nothing to hide. */
static void halo(int rank) {
  MPI_Request requests[faces];
  for (int face = 0; face < faces; ++face) {
    char* part = buffer + face * (length / faces);
    if (rank == 0) {
      if (face == 0) usleep(before_sending);
      MPI_Send(part, length / faces, MPI_CHAR, 1, face, MPI_COMM_WORLD);
    } else {
      MPI_Irecv(part, length / faces, MPI_CHAR, 0, face, MPI_COMM_WORLD, &requests[face]);
    }
  }
  if (rank == 1) {
    MPI_Waitall(faces, requests, MPI_STATUSES_IGNORE);
    use(buffer);
  }
  answer(rank);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 3 || posix_memalign((void**)&buffer, 4096, length) != 0 ||
      posix_memalign((void**)&incoming, 4096, length) != 0)
    MPI_Abort(MPI_COMM_WORLD, 2);
  memset(buffer, 0, length);
  for (int round = 0; round < atoi(argv[2]); ++round) {
    if (rank == 0) memset(buffer, round % 100 + 1, length);
    if (strcmp(argv[1], "exchange") == 0) {
      exchange(rank);
    } else if (strcmp(argv[1], "halo") == 0) {
      halo(rank);
    } else {
      one_way(rank, argv[1]);
    }
  }
  if (rank == 0) printf("sum %ld\n", sum);
  free(buffer);
  free(incoming);
  MPI_Finalize();
  return 0;
}
