/* SPDX-License-Identifier: Apache-2.0
 * Receives that are too small for their messages: which call fails, what it returns, and whose error handler
 * hears of it, once. MPIs differ in that; the output must not depend on Lapwing, which meets the errors
 * first. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LONG = 300000, ROOM = 100000, SMALL = 4000, MOST = 2 * LONG };

static MPI_Comm comm;
static int rank, failed;
static char out[LONG], in[MOST];
static char heard[80];

static void hear(const char* who) {
  if (strlen(heard) + strlen(who) + 2 < sizeof heard) strcat(strcat(heard, " "), who);
}
static void of_comm(MPI_Comm* c, int* code, ...) { hear(*c == comm && *code ? "its communicator" : "?"); }
static void of_self(MPI_Comm* c, int* code, ...) { hear(*c == MPI_COMM_SELF && *code ? "self" : "?"); }
static void of_world(MPI_Comm* c, int* code, ...) { hear(*c == MPI_COMM_WORLD && *code ? "world" : "?"); }

static void say(const char* call, int room, int code, int in_status) {
  int class = 0, inner = 0;
  MPI_Error_class(code, &class);
  MPI_Error_class(in_status, &inner);
  failed |= class;
  const char* which = class == MPI_ERR_TRUNCATE    ? "truncated"
                      : class == MPI_ERR_IN_STATUS ? "in the status"
                      : class                      ? "?"
                                                   : "none";
  printf("%s, room for %d: %s%s, heard by%s\n", call, room, which,
         inner == MPI_ERR_TRUNCATE ? ", truncated" : "", heard[0] ? heard : " nobody");
  heard[0] = 0;
}

/* The partner sends once the receive is posted, and what it sends has come. */
static void let_send(void) {
  int there = 0;
  MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (double begun = MPI_Wtime(); MPI_Wtime() < begun + 0.003;)
    MPI_Iprobe(0, 77, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

static void send_one(void) {
  MPI_Request request;
  MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Isend(out, LONG, MPI_BYTE, 1, 5, comm, &request);
  MPI_Send(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

enum { WAIT, TEST, LOOK, WAITALL, WAITANY, TESTALL, TESTSOME, WAYS };
static const char* const names[] = {"wait", "test", "look", "waitall", "waitany", "testall", "testsome"};

static void complete(int way, int persistent, int room) {
  MPI_Request request;
  MPI_Status status = {0};
  int done = 0, index = 0, code = MPI_SUCCESS, in_status = MPI_SUCCESS;
  char name[40];
  snprintf(name, sizeof name, "%s%s", names[way], persistent ? " of a persistent one" : "");
  if (persistent) {
    MPI_Recv_init(in, room, MPI_BYTE, 0, 5, comm, &request);
    MPI_Start(&request);
  } else {
    MPI_Irecv(in, room, MPI_BYTE, 0, 5, comm, &request);
  }
  let_send();
  if (way == LOOK) {
    while (!done && !heard[0] && code == MPI_SUCCESS) code = MPI_Request_get_status(request, &done, &status);
    say(name, room, code, MPI_SUCCESS);
    strcat(name, ", then wait");
    if (persistent) strcpy(name, ""); /* MPICH 5 and Intel MPI have ended it by the look */
  }
  if (way == WAIT || way == LOOK) code = MPI_Wait(&request, &status);
  if (way == WAITALL) code = MPI_Waitall(1, &request, &status);
  if (way == WAITANY) code = MPI_Waitany(1, &request, &index, &status);
  while (way >= TEST && !done && !heard[0] && code == MPI_SUCCESS && way != LOOK && way != WAITALL &&
         way != WAITANY) {
    if (way == TEST) code = MPI_Test(&request, &done, &status);
    if (way == TESTALL) code = MPI_Testall(1, &request, &done, &status);
    if (way == TESTSOME) code = MPI_Testsome(1, &request, &done, &index, &status);
  }
  /* MPICH 5 does not say it in the status of a persistent one in MPI_Testsome. */
  if (way == WAITALL || way == TESTALL) in_status = status.MPI_ERROR;
  if (name[0]) say(name, room, code, in_status);
  if (persistent) MPI_Request_free(&request);
  heard[0] = 0;
}

/* MPICH tells another handler of the error of MPI_Mrecv. */
static void receive(int room, int matched) {
  MPI_Message message;
  MPI_Status status;
  MPI_Datatype spread;
  MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("recv", room, MPI_Recv(in, room, MPI_BYTE, 0, 5, comm, &status), MPI_SUCCESS);
  MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_vector(room / 4, 4, 5, MPI_BYTE, &spread);
  MPI_Type_commit(&spread);
  say("recv of a vector", room, MPI_Recv(in, 1, spread, 0, 5, comm, &status), MPI_SUCCESS);
  MPI_Type_free(&spread);
  MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("sendrecv", room,
      MPI_Sendrecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, in, room, MPI_BYTE, 0, 5, comm, &status),
      MPI_SUCCESS);
  if (!matched) return;
  MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  MPI_Mprobe(0, 5, comm, &message, &status);
  MPI_Recv(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say("mrecv", room, MPI_Mrecv(in, room, MPI_BYTE, &message, &status), MPI_SUCCESS);
}

int main(int argc, char** argv) {
  MPI_Errhandler handlers[3];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(of_comm, &handlers[0]);
  MPI_Comm_create_errhandler(of_self, &handlers[1]);
  MPI_Comm_create_errhandler(of_world, &handlers[2]);
  MPI_Comm_set_errhandler(comm, handlers[0]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[2]);
  /* First while MPI_COMM_SELF has no handler of its own, last into less room than Lapwing's headers need.
   * Where a call succeeds whose error was heard, Lapwing cannot see the latter. */
  for (int round = 0; round < (failed ? 3 : 2); ++round) {
    const int room = round < 2 ? ROOM : SMALL;
    if (round == 1) MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers[1]);
    for (int way = 0; way < WAYS; ++way) {
      for (int persistent = 0; persistent < 2; ++persistent) {
#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION < 5 /* does not always tell */
        if (persistent && (way == WAITALL || way == WAITANY || way == TESTALL)) continue;
#endif
        if (rank == 0) send_one();
        if (rank == 1) complete(way, persistent, room);
      }
    }
    for (int i = 0; rank == 0 && i < 4; ++i) send_one();
    if (rank == 1) receive(room, 1);
    MPI_Bcast(&failed, 1, MPI_INT, 1, MPI_COMM_WORLD);
  }
  /* Where nobody but the communicator's handler lets the program go on. */
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  for (int i = 0; rank == 0 && i < 3; ++i) send_one();
  if (rank == 1) receive(ROOM, 0);
  for (int i = 0; i < 3; ++i) MPI_Errhandler_free(&handlers[i]);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
