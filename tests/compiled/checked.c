// SPDX-License-Identifier: Apache-2.0
// A program that looks at the error of every call, in C and in C++: healthy
// under handlers that end the job, and with real errors under those that return.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 20000, tag = 5 };
static double out[count], in[2 * count], work[count];
static int rank, wrong, raised;

static void fail(const char* what, int line) {
  fprintf(stderr, "rank %d, line %d: %s\n", rank, line, what);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

#define CHK(call)                                                  \
  do {                                                             \
    if ((call) != MPI_SUCCESS) fail("an error: " #call, __LINE__); \
  } while (0)
#define EXPECT(condition)                                    \
  do {                                                       \
    if (!(condition)) fail("not so: " #condition, __LINE__); \
  } while (0)

static int class_of(int rc) {
  int class_ = -1;
  MPI_Error_class(rc, &class_);
  return class_;
}

// What every call could be hidden behind.
static void compute(void) {
  for (int i = 0; i < count; ++i) work[i] = work[i] * 0.5 + i;
}

static void fill(double first) {
  for (int i = 0; i < count; ++i) out[i] = first + i;
}

static void look(double first) {
  for (int i = 0; i < count; ++i) wrong += in[i] != first + i;
}

// No error: every message arrives, whoever checks.
static void healthy(MPI_Comm comm, int peer) {
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  for (int round = 0; round < 3; ++round) {
    fill(rank + 10 * round);
    if (rank == 0) {
      CHK(MPI_Send(out, count, MPI_DOUBLE, peer, tag, comm));
      compute();
      CHK(MPI_Recv(in, count, MPI_DOUBLE, peer, tag, comm, &status));
    } else {
      CHK(MPI_Recv(in, count, MPI_DOUBLE, peer, tag, comm, &status));
      compute();
      CHK(MPI_Ssend(out, count, MPI_DOUBLE, peer, tag, comm));
    }
    compute();
    look(peer + 10 * round);
    EXPECT(status.MPI_SOURCE == peer && status.MPI_TAG == tag);

    fill(rank + 1);
    CHK(MPI_Sendrecv(out, count, MPI_DOUBLE, peer, 1, in, count, MPI_DOUBLE, peer, 1, comm,
                     MPI_STATUS_IGNORE));
    compute();
    look(peer + 1);
    memcpy(in, out, sizeof out);
    CHK(MPI_Sendrecv_replace(in, count, MPI_DOUBLE, peer, 2, peer, 2, comm, MPI_STATUS_IGNORE));
    compute();
    look(peer + 1);

    CHK(MPI_Irecv(in, count, MPI_DOUBLE, peer, 3, comm, &requests[0]));
    CHK(MPI_Isend(out, count, MPI_DOUBLE, peer, 3, comm, &requests[1]));
    compute();
    CHK(MPI_Waitall(2, requests, statuses));
    compute();
    look(peer + 1);
    CHK(MPI_Irecv(in, count, MPI_DOUBLE, peer, 4, comm, &requests[0]));
    CHK(MPI_Send(out, count, MPI_DOUBLE, peer, 4, comm));
    compute();
    CHK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    compute();
    look(peer + 1);
  }
}

// Rank 1 receives into buffers that are too small, and refuses what is wrong.
static void failing(MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status;
  fill(7);
  if (rank == 0) {
    for (int i = 0; i < 4; ++i) CHK(MPI_Send(out, count, MPI_DOUBLE, 1, tag, comm));
    return;
  }
  int rc = MPI_Recv(in, count / 2, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE);
  compute();
  EXPECT(class_of(rc) == MPI_ERR_TRUNCATE);
  rc = MPI_Sendrecv(out, count, MPI_DOUBLE, MPI_PROC_NULL, 0, in, count / 2, MPI_DOUBLE, 0, tag, comm,
                    MPI_STATUS_IGNORE);
  compute();
  EXPECT(class_of(rc) == MPI_ERR_TRUNCATE);
  CHK(MPI_Irecv(in, count / 2, MPI_DOUBLE, 0, tag, comm, &request));
  compute();
  rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
  compute();
  EXPECT(class_of(rc) == MPI_ERR_TRUNCATE);
  CHK(MPI_Irecv(in, count / 2, MPI_DOUBLE, 0, tag, comm, &request));
  compute();
  rc = MPI_Waitall(1, &request, &status);
  compute();
  EXPECT(class_of(rc) == MPI_ERR_IN_STATUS);
  EXPECT(class_of(status.MPI_ERROR) == MPI_ERR_TRUNCATE);
  rc = MPI_Send(out, count, MPI_DOUBLE, 77, tag, comm);
  compute();
  EXPECT(class_of(rc) == MPI_ERR_RANK);
  rc = MPI_Recv(in, -1, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE);
  compute();
  EXPECT(class_of(rc) == MPI_ERR_COUNT);
}

static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  raised += class_of(*code) == MPI_ERR_TRUNCATE;
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int peer = 1 - rank;
  healthy(MPI_COMM_WORLD, peer);
  healthy(comm, peer);

  // Started where errors are fatal, waited for where they are returned.
  if (rank == 0) {
    CHK(MPI_Send(out, count, MPI_DOUBLE, 1, tag, comm));
  } else {
    CHK(MPI_Irecv(in, count / 2, MPI_DOUBLE, 0, tag, comm, &request));
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 1) {
    const int rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    compute();
    EXPECT(class_of(rc) == MPI_ERR_TRUNCATE);
  }
  healthy(comm, peer);
  failing(comm);

  // A handler of the program's own: once for each error.
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  if (rank == 0) {
    CHK(MPI_Send(out, count, MPI_DOUBLE, 1, tag, comm));
  } else {
    const int rc = MPI_Recv(in, count / 2, MPI_DOUBLE, 0, tag, comm, MPI_STATUS_IGNORE);
    compute();
    EXPECT(class_of(rc) == MPI_ERR_TRUNCATE && raised == 1);
  }
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  healthy(comm, peer);
  EXPECT(wrong == 0);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  if (rank == 0) puts("every error is where it belongs");
  return 0;
}
