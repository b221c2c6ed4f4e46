/* SPDX-License-Identifier: Apache-2.0 */
/* stuck_others CASE: the last rank comes to the end, and the others wait for it in a call that is no plain
   blocking collective. CASE right: all make every one of these calls, one of them late. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* wanted;
static int right, last;
static char file[64];

/* Whether this process makes the call that is waited for. */
static int makes(const char* name) {
  if (right) {
    if (last) usleep(100000);
    return 1;
  }
  return strcmp(wanted, name) == 0 && !last;
}

/* The first of a pair of calls that all make. */
static int all_make(const char* name) { return right || strcmp(wanted, name) == 0; }

/* For a message that the last rank does not send. */
static void wait_for_message(int rank, int size) {
  int x = 0, y = 0, index;
  MPI_Request requests[2];
  MPI_Message message;
  const int from = size - 1;
  if (strcmp(wanted, "receive") == 0) MPI_Recv(&x, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(wanted, "any") == 0)
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(wanted, "probe") == 0) MPI_Probe(from, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(wanted, "matched") == 0) MPI_Mprobe(from, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  if (strcmp(wanted, "exchange") == 0)
    MPI_Sendrecv(&x, 1, MPI_INT, from, 3, &y, 1, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(wanted, "posted") == 0) {
    /* One of two comes. */
    MPI_Irecv(&x, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&y, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  if (strcmp(wanted, "posted any") == 0) {
    MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  if (strcmp(wanted, "waitany") == 0 || strcmp(wanted, "waitsome") == 0) {
    int indices[3];
    MPI_Request three[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(&x, 1, MPI_INT, from, 3, MPI_COMM_WORLD, &three[1]);
    MPI_Irecv(&y, 1, MPI_INT, from, 70000, MPI_COMM_WORLD, &three[2]);
    if (strcmp(wanted, "waitany") == 0) MPI_Waitany(3, three, &index, MPI_STATUS_IGNORE);
    if (strcmp(wanted, "waitsome") == 0) MPI_Waitsome(3, three, &index, indices, MPI_STATUSES_IGNORE);
  }
  if (strcmp(wanted, "persistent") == 0) {
    MPI_Recv_init(&x, 1, MPI_INT, rank, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Send(&rank, 1, MPI_INT, rank, 3, MPI_COMM_WORLD);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
}

/* For a receive that the last rank does not begin. */
static void wait_for_match(int size) {
  static int out[4];
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const int to = size - 1;
  int index;
  if (strcmp(wanted, "ssend") == 0) MPI_Ssend(out, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
  if (strcmp(wanted, "issend") == 0) {
    MPI_Issend(out, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  if (strcmp(wanted, "issend any") == 0) {
    MPI_Issend(out, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(out + 1, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
  }
  if (strcmp(wanted, "ssend started") == 0) {
    MPI_Ssend_init(out, 1, MPI_INT, to, 70000, MPI_COMM_WORLD, &requests[0]);
    MPI_Start(&requests[0]);
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  }
}

/* All wait in a synchronous send to the next one. */
static void head_to_head(int rank, int size) {
  int x = 0;
  if (strcmp(wanted, "circle") != 0) return;
  MPI_Ssend(&x, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
  MPI_Recv(&x, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Synchronous sends that are matched late, in every way, while the receiver waits for something else. */
static void matches(int rank, int size) {
  enum { ways = 12 };
  static int in[ways], out[ways];
  MPI_Request requests[ways], started[2];
  MPI_Message message;
  MPI_Status status;
  int flag = 0, i, got = 0, index;
  const int to = size - 1;
  if (rank == 0) {
    /* Never received before it is needed: other messages overtake it. */
    MPI_Isend(out, 1, MPI_INT, to, 40, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 1, MPI_INT, to, 41, MPI_COMM_WORLD, &requests[1]);
    for (i = 0; i < 7; ++i) MPI_Ssend(out, 1, MPI_INT, to, i, MPI_COMM_WORLD);
    MPI_Ssend(out, 1, MPI_INT, to, 44, MPI_COMM_WORLD);
    MPI_Ssend_init(out, 1, MPI_INT, to, 7, MPI_COMM_WORLD, &started[0]);
    MPI_Recv_init(in, 1, MPI_INT, to, 8, MPI_COMM_WORLD, &started[1]);
    for (i = 0; i < 3; ++i) {
      MPI_Startall(2, started);
      if (i == 1) {
        for (got = 0; got < 2;) {
          MPI_Waitany(2, started, &index, MPI_STATUS_IGNORE);
          ++got;
        }
      } else if (i == 0) {
        MPI_Waitall(2, started, MPI_STATUSES_IGNORE);
      } else {
        for (flag = 0; !flag;) MPI_Testall(2, started, &flag, MPI_STATUSES_IGNORE);
      }
    }
    MPI_Request_free(&started[0]);
    MPI_Request_free(&started[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  if (rank == to && rank != 0) {
    usleep(600000);
    MPI_Recv(in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    usleep(600000);
    MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    for (flag = 0; !flag;) MPI_Improbe(0, 4, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 1, MPI_INT, rank, 60, in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &status);
    MPI_Recv(in, 1, MPI_INT, rank, 60, MPI_COMM_WORLD, &status);
    MPI_Irecv(in, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, &requests[0]);
    usleep(600000);
    MPI_Irecv(in + 1, 1, MPI_INT, 0, 44, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (i = 0; i < 3; ++i) {
      MPI_Send(out, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
      usleep(300000);
      MPI_Recv(in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Recv(in, 1, MPI_INT, 0, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in, 1, MPI_INT, 0, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Messages that were sent long before they are received, in every way, by a process that waits in the end. */
static void messages(int rank, int size) {
  enum { most = 12, large = 300000 };
  static int in[most][large], out[large];
  MPI_Request requests[most];
  int done = 0, posted = 0, to, index;
  for (to = 0; to < size; ++to) {
    if (rank == size - 1 && to != rank) {
      MPI_Request own[6];
      MPI_Send(out, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
      MPI_Isend(out, large, MPI_INT, to, 1, MPI_COMM_WORLD, &own[0]);
      MPI_Send_init(out, 8, MPI_INT, to, 2, MPI_COMM_WORLD, &own[1]);
      MPI_Start(&own[1]);
      MPI_Isend(out, large, MPI_INT, to, 3, MPI_COMM_WORLD, &own[2]);
      MPI_Isend(out, 1, MPI_INT, to, 4, MPI_COMM_WORLD, &own[3]);
      MPI_Issend(out, 1, MPI_INT, to, 5, MPI_COMM_WORLD, &own[4]);
      MPI_Isend(out, 1, MPI_INT, to, 6, MPI_COMM_WORLD, &own[5]);
      MPI_Waitall(6, own, MPI_STATUSES_IGNORE);
      MPI_Request_free(&own[1]);
    }
  }
  if (rank != size - 1) {
    MPI_Request cancelled;
    usleep(700000);
    MPI_Irecv(in[0], 1, MPI_INT, size - 1, 99, MPI_COMM_WORLD, &cancelled);
    MPI_Cancel(&cancelled);
    MPI_Wait(&cancelled, MPI_STATUS_IGNORE);
    MPI_Recv(in[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (posted = 1; posted < 4; ++posted)
      MPI_Irecv(in[posted], large, MPI_INT, size - 1, posted, MPI_COMM_WORLD, &requests[posted]);
    MPI_Waitany(3, requests + 1, &index, MPI_STATUS_IGNORE);
    while (!done) MPI_Testall(3, requests + 1, &done, MPI_STATUSES_IGNORE);
    MPI_Probe(size - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(in[4], 1, MPI_INT, size - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(700000);
    MPI_Irecv(in[5], 1, MPI_INT, size - 1, 5, MPI_COMM_WORLD, &requests[5]);
    MPI_Wait(&requests[5], MPI_STATUS_IGNORE);
    MPI_Recv(in[6], 1, MPI_INT, size - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  int rank, size, x = 1, y = 0, values[4] = {0, 0, 0, 0};
  MPI_Comm comm;
  MPI_Request requests[2];
  MPI_Group group;
  MPI_Win win;
  MPI_File handle;
  MPI_Init(&argc, &argv);
  wanted = argc > 1 ? argv[1] : "right";
  right = strcmp(wanted, "right") == 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  last = rank == size - 1;
  if (all_make("request")) MPI_Iallreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  if (makes("request")) {
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else if (all_make("request")) {
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  if (makes("test")) {
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
  /* The last one waits for those before it, and they for no process. */
  if (makes("scan")) MPI_Scan(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (strcmp(wanted, "scan") == 0 && !last) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  if (makes("create")) {
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&group);
  if (makes("window")) {
    MPI_Win_create(values, sizeof values, sizeof *values, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
  }
  if (all_make("fence")) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Win_create(values, sizeof values, sizeof *values, MPI_INFO_NULL, comm, &win);
    MPI_Comm_free(&comm);
    MPI_Win_fence(0, win);
    if (makes("fence")) MPI_Win_fence(0, win);
    if (right) MPI_Win_free(&win);
  }
  snprintf(file, sizeof file, "/tmp/lapwing-stuck-%d", (int)getppid());
  if (makes("file")) {
    MPI_File_open(MPI_COMM_WORLD, file, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &handle);
    MPI_File_close(&handle);
  }
  if (!right && !last) wait_for_message(rank, size);
  if (!right && !last) wait_for_match(size);
  if (!right) head_to_head(rank, size);
  if (right) messages(rank, size);
  if (right) matches(rank, size);
  MPI_Finalize();
  if (right && rank == 0) puts("right");
  return 0;
}
