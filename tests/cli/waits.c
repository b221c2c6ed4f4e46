// SPDX-License-Identifier: Apache-2.0
/* Programs whose waiting is known, for the report. Two ranks; rank 1 is the late one.
 *   late      rank 0 waits 3 times 150 ms for a large message
 *   pair      both start a send and a receive and wait for the two, of which the receive comes late
 *   group     Allreduce, Iallreduce with a wait, Barrier and Win_fence, each with a rank that is late
 *   small     20,000 small messages there and back
 *   any       persistent requests, and Waitany
 *   probe     a probe for a message that comes late */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { rounds = 3, count = 1 << 18, late_us = 150000 };
static float in[count], out[count];
static int rank;

static void come_late(void) {
  if (rank == 1) usleep(late_us);
}

static void late(void) {
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      MPI_Request request;
      MPI_Irecv(in, count, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &request); /* started: late */
      MPI_Wait(&request, MPI_STATUS_IGNORE);                           /* waited: late */
    } else {
      come_late();
      MPI_Send(out, count, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void pair(void) {
  for (int i = 0; i < rounds; ++i) {
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(in, count, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]); /* started: receive */
    come_late();
    MPI_Isend(out, 16, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); /* started: send */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);                            /* waited: pair */
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void group(void) {
  MPI_Win window;
  MPI_Win_create(in, sizeof in, sizeof in[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request;
    come_late();
    MPI_Allreduce(in, out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    come_late();
    MPI_Iallreduce(in, out, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request); /* started: group */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                    /* waited: group */
    come_late();
    MPI_Barrier(MPI_COMM_WORLD);
    come_late();
    MPI_Win_fence(0, window);
  }
  MPI_Win_free(&window);
}

static void small(void) {
  for (int i = 0; i < 20000; ++i) {
    if (rank == 0) MPI_Send(out, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(in, 1, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
  }
}

static void any(void) {
  MPI_Request requests[2];
  int which;
  if (rank == 0) {
    MPI_Recv_init(in, 1000, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, &requests[0]); /* started: any */
    MPI_Recv_init(out, 1000, MPI_FLOAT, 1, 1, MPI_COMM_WORLD, &requests[1]);
  }
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      MPI_Startall(2, requests);
      for (int k = 0; k < 2; ++k) MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE); /* waited: any */
    } else {
      come_late();
      MPI_Send(out, 1000, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
      MPI_Send(out, 1000, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int k = 0; k < 2 && rank == 0; ++k) MPI_Request_free(&requests[k]);
}

static void probe(void) {
  for (int i = 0; i < rounds; ++i) {
    come_late();
    if (rank == 1) MPI_Send(out, 10, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Probe(1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(in, 10, MPI_FLOAT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "late")) late();
  if (!strcmp(what, "pair")) pair();
  if (!strcmp(what, "group")) group();
  if (!strcmp(what, "small")) small();
  if (!strcmp(what, "any")) any();
  if (!strcmp(what, "probe")) probe();
  MPI_Finalize();
  return 0;
}
