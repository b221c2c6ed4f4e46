/* SPDX-License-Identifier: Apache-2.0
 * Every kind of send, of a header's size and of its neighbours': its size alone
 * marks a header, so such a message always travels as one. Each kind completes
 * as MPI says it does, and a request that is freed leaves its message alone.
 * The output must not depend on Lapwing. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MARK = 8288, MOST = MARK + 1, ROOM = 4 * (MOST + MPI_BSEND_OVERHEAD) };

static int rank, other;
static char out[MOST], in[MOST];

typedef int start(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

static const struct kind {
  const char* name;
  start* make;
  int persistent, synchronous, buffered;
} kinds[] = {{"isend", MPI_Isend, 0, 0, 0},           {"issend", MPI_Issend, 0, 1, 0},
             {"ibsend", MPI_Ibsend, 0, 0, 1},         {"send_init", MPI_Send_init, 1, 0, 0},
             {"ssend_init", MPI_Ssend_init, 1, 1, 0}, {"bsend_init", MPI_Bsend_init, 1, 0, 1}};

static void say(const char* what, const struct kind* k, int bytes, int flag) {
  int wrong = 0, all[4];
  for (int i = 0; i < bytes; ++i) wrong += in[i] != (char)(i % 101 + other);
  int mine[2] = {flag, wrong};
  MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s %s %d: %d %d, wrong %d %d\n", what, k->name, bytes, all[0], all[2], all[1], all[3]);
  memset(in, 0, sizeof in);
}

static MPI_Request begin(const struct kind* k, int bytes) {
  MPI_Request request;
  k->make(out, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, &request);
  if (k->persistent) MPI_Start(&request);
  return request;
}

static void take(int bytes) { MPI_Recv(in, bytes, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

/* Both send before either receives: a buffered one completes, a synchronous one must not. */
static void matched_late(const struct kind* k, int bytes) {
  int flag = 0;
  MPI_Request request = begin(k, bytes);
  if (k->buffered) MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; k->synchronous && i < 20 && !flag; ++i) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    usleep(500);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  take(bytes);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (k->persistent) MPI_Request_free(&request);
  say("matched late", k, bytes, flag);
}

/* The request is freed at once; what was Lapwing's memory is somebody else's soon. */
static void freed(const struct kind* k, int bytes) {
  MPI_Request request = begin(k, bytes);
  MPI_Request_free(&request);
  char* churn[32];
  for (int i = 0; i < 32; ++i) churn[i] = memset(malloc((size_t)bytes), 0x77, (size_t)bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(2000);
  take(bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 32; ++i) free(churn[i]);
  say("freed", k, bytes, request == MPI_REQUEST_NULL);
}

int main(int argc, char** argv) {
  /* A transport that takes what it sends from the sender's memory, and late. */
  setenv("UCX_RNDV_THRESH", "1024", 1);
  setenv("OMPI_MCA_btl_vader_eager_limit", "512", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  for (int i = 0; i < MOST; ++i) out[i] = (char)(i % 101 + rank);
  char* room = malloc(ROOM);
  MPI_Buffer_attach(room, ROOM);
  int gone;
  for (int bytes = MARK - 1; bytes <= MOST; ++bytes) {
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
      matched_late(&kinds[k], bytes);
      freed(&kinds[k], bytes);
    }
  }
  MPI_Buffer_detach(&room, &gone);
  free(room);
  MPI_Finalize();
  return 0;
}
