/* SPDX-License-Identifier: Apache-2.0
 * Communicators and types that are freed while requests and messages of theirs
 * are still to come, which MPI allows; a new communicator may have the old
 * handle by then. The output must not depend on Lapwing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 50000, ROUNDS = 3 };

static int rank, other;
static int out[N], in[N];

static void say(const char* what, int round, const MPI_Status* status, int code) {
  int wrong = 0, count = 0, all[10], class = 0;
  for (int i = 0; i < N; ++i) wrong += in[i] != (1 - rank) * 1000 + round * 7 + i;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Error_class(code, &class);
  int mine[5] = {wrong, count, status->MPI_SOURCE, status->MPI_TAG, class == MPI_ERR_TRUNCATE};
  MPI_Gather(mine, 5, MPI_INT, all, 5, MPI_INT, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < 2; ++r) {
    const int* a = all + 5 * r;
    printf("%s %d, rank %d: %d wrong, %d elements from %d, tag %d, %d\n", what, round, r, a[0], a[1], a[2],
           a[3], a[4]);
  }
}

/* The ranks change places in it, so that another one of the same handle would tell. */
static MPI_Comm turned(void) {
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  return comm;
}

static void fill(int round) {
  for (int i = 0; i < N; ++i) out[i] = rank * 1000 + round * 7 + i;
  memset(in, 0, sizeof in);
}

static void plain(int round) {
  MPI_Comm comm = turned(), later;
  MPI_Datatype pair;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  fill(round);
  MPI_Irecv(in, N / 2, pair, rank, 5, comm, &requests[0]);
  MPI_Isend(out, N / 2, pair, rank, 5, comm, &requests[1]);
  MPI_Type_free(&pair);
  MPI_Comm_free(&comm);
  if (round > 0) MPI_Comm_dup(MPI_COMM_SELF, &later);
  MPI_Waitall(2, requests, statuses);
  if (round > 0) MPI_Comm_free(&later);
  say("waitall", round, &statuses[0], MPI_SUCCESS);
}

static void probed(int round) {
  MPI_Comm comm = turned();
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  fill(round);
  MPI_Isend(out, N, MPI_INT, rank, 6, comm, &request);
  MPI_Mprobe(rank, 6, comm, &message, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
  MPI_Mrecv(in, N, MPI_INT, &message, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say("mprobe", round, &status, MPI_SUCCESS);
}

/* Too small for its message. The communicator's handler is told, or the world's. */
static void truncated(int round) {
  MPI_Comm comm = turned();
  MPI_Request sending, receiving;
  MPI_Status status;
  fill(round);
  MPI_Irecv(in, N / 2, MPI_INT, rank, 7, comm, &receiving);
  MPI_Isend(out, N, MPI_INT, rank, 7, comm, &sending);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_free(&comm);
  const int code = MPI_Wait(&receiving, &status);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Status whole = {0}; /* what a truncated one holds is MPI's affair */
  for (int i = 0; i < N; ++i) in[i] = other * 1000 + round * 7 + i;
  say("truncated", round, &whole, code);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  for (int round = 0; round < ROUNDS; ++round) {
    plain(round);
    probed(round);
    truncated(round);
  }
  MPI_Finalize();
  return 0;
}
