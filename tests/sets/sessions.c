/* SPDX-License-Identifier: Apache-2.0
 * Lapwing's sets as process sets of MPI's sessions: sessions.py runs it with each MPI that has sessions, with
 * 4 and 5 ranks, in each mode. Each process says on which line it found something wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lapwing/sets.h"

static int rank, size;

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      fprintf(stderr, "sessions.c:%d: rank %d: not so: %s\n", __LINE__, rank, #condition); \
      exit(3);                                                                             \
    }                                                                                      \
  } while (0)

static int count(MPI_Session session) {
  int sets = -1;
  CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets) == MPI_SUCCESS);
  return sets;
}

static const char* name(MPI_Session session, int n) {
  static char text[1024];
  int length = 0, again;
  memset(text, 'x', sizeof text);
  CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, text) == MPI_SUCCESS);
  CHECK(text[0] == 'x' && length > 1); /* no room: only the length */
  again = length;
  CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &again, text) == MPI_SUCCESS);
  CHECK(again == length && (int)strlen(text) == length - 1);
  return text;
}

static int position(MPI_Session session, const char* wanted) {
  int n, found = -1;
  for (n = count(session) - 1; n >= 0; --n) {
    if (strcmp(name(session, n), wanted) != 0) continue;
    CHECK(found < 0);
    found = n;
  }
  return found;
}

/* A group and a communicator of the set have just these members. */
static void use(MPI_Session session, const char* set, const char* tag, const int* ranks, int members) {
  int length, here, i, there = 0, sum = 0, wanted = 0, *numbers = malloc(sizeof(int) * (size_t)members);
  int* world_ranks = malloc(sizeof(int) * (size_t)members);
  char text[32];
  MPI_Info info;
  MPI_Group group, world;
  MPI_Comm comm;
  CHECK(MPI_Session_get_pset_info(session, set, &info) == MPI_SUCCESS);
  CHECK(MPI_Info_get(info, "mpi_size", 31, text, &there) == MPI_SUCCESS && there && atoi(text) == members);
  MPI_Info_free(&info);
  CHECK(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
  CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &world) == MPI_SUCCESS);
  MPI_Group_size(group, &length);
  CHECK(length == members);
  for (i = 0; i < members; ++i) numbers[i] = i;
  MPI_Group_translate_ranks(group, members, numbers, world, world_ranks);
  for (i = 0; i < members; ++i) CHECK(world_ranks[i] == ranks[i]);
  MPI_Group_rank(group, &here);
  CHECK(here != MPI_UNDEFINED && ranks[here] == rank);
  CHECK(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm) == MPI_SUCCESS);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  for (i = 0; i < members; ++i) wanted += ranks[i];
  CHECK(sum == wanted);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  free(numbers);
  free(world_ranks);
}

static int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static void refused(MPI_Session session) {
  int length = 5, at;
  char text[8];
  MPI_Group group;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* there, MPICH 4.0 raises those of sessions, */
  MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN); /* or where this says so, not MPI_Session_init() */
  CHECK(class_of(MPI_Group_from_session_pset(session, "lapwing://none", &group)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Group_from_session_pset(session, rank % 2 ? "lapwing://even" : "lapwing://odd",
                                             &group)) == MPI_ERR_ARG);
  CHECK(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count(session), &length, text)) ==
        MPI_ERR_ARG);
  CHECK(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, text)) == MPI_ERR_ARG);
  at = position(session, rank % 2 ? "lapwing://odd" : "lapwing://even");
  CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, at, &length, text) == MPI_SUCCESS);
  CHECK(!strcmp(text, "lapw") && length == (rank % 2 ? 14 : 15)); /* cut off, and ended */
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* The name of a set without two neighbouring ranks. */
static void ranks_name(char* text, const int* ranks, int members) {
  int i;
  strcpy(text, "lapwing://ranks/");
  for (i = 0; i < members; ++i) sprintf(text + strlen(text), i ? ",%d" : "%d", ranks[i]);
}

int main(int argc, char** argv) {
  int own, i, members = 0, *ranks, listed, length, inner[2], pair, run;
  char text[300], expected[300], kept[64][300];
  const char* parity;
  MPI_Comm comm, back;
  MPI_Session session, later;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  run = lapwing_sets_mode() == LAPWING_SETS_RUN;
  parity = rank % 2 ? "odd" : "even";
  ranks = malloc(sizeof(int) * (size_t)size);
  for (i = rank % 2; i < size; i += 2) ranks[members++] = i;

  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  own = count(session);
  CHECK(own >= 2 && position(session, "mpi://WORLD") >= 0 && position(session, "mpi://SELF") >= 0);
  for (i = 0; i < own; ++i) strcpy(kept[i], name(session, i));
  CHECK(lapwing_set_pset_name(MPI_COMM_WORLD, text, sizeof text) == 12 && !strcmp(text, "mpi://WORLD"));
  CHECK(count(session) == own);

  /* The current set: where sets are off, that of a communicator. */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
  if (run) lapwing_split(MPI_COMM_WORLD, 2, rank % 2);
  ranks_name(expected, ranks, members);
  length = lapwing_set_pset_name(run ? MPI_COMM_WORLD : comm, text, sizeof text);
  CHECK(!strcmp(text, expected) && length == (int)strlen(expected) + 1);
  memset(text, 'x', sizeof text);
  CHECK(lapwing_set_pset_name(run ? MPI_COMM_WORLD : comm, text, 8) == length && !strcmp(text, "lapwing"));
  CHECK(count(session) == own + 1 && position(session, expected) == own);
  lapwing_set_publish(run ? MPI_COMM_WORLD : comm, parity);
  lapwing_set_publish(run ? MPI_COMM_WORLD : comm, parity);
  CHECK(count(session) == own + 2);
  sprintf(text, "lapwing://%s", parity);
  CHECK(position(session, text) == own + 1);
  use(session, text, text, ranks, members);
  use(session, expected, "by ranks", ranks, members);

  /* A set inside of it, by a query alone. */
  if (run) {
    lapwing_split(MPI_COMM_WORLD, 2, rank / 2 != 0);
    CHECK(lapwing_set_size(MPI_COMM_WORLD) == (rank < 2 ? 1 : members - 1));
    ranks_name(expected, rank < 2 ? ranks : ranks + 1, rank < 2 ? 1 : members - 1);
    CHECK(count(session) == own + 3 && position(session, expected) == own + 2);
    use(session, expected, "inside", rank < 2 ? ranks : ranks + 1, rank < 2 ? 1 : members - 1);
    lapwing_merge(MPI_COMM_WORLD);
    lapwing_merge(MPI_COMM_WORLD);
  }

  /* Of a communicator that counts backwards; its group does not. */
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back);
  pair = rank < 2;
  if (run) {
    lapwing_split(back, 2, pair);
    if (pair) {
      inner[0] = 0;
      inner[1] = 1;
      lapwing_set_publish(back, "first-two");
      CHECK(lapwing_set_rank(back) == 1 - rank);
      use(session, "lapwing://first-two", "first", inner, 2);
    }
    lapwing_merge(back);
  }
  MPI_Comm_free(&back);
  MPI_Comm_free(&comm);

  if (argc == 1) refused(session); /* else the MPI would end the job */
  listed = count(session);
  for (i = 0; i < own; ++i) CHECK(!strcmp(kept[i], name(session, i)));
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &later) == MPI_SUCCESS);
  CHECK(count(later) == listed);
  sprintf(text, "lapwing://%s", parity);
  use(later, text, "later", ranks, members);
  MPI_Session_finalize(&later);
  MPI_Session_finalize(&session);
  MPI_Finalize();
  free(ranks);
  if (rank == 0) printf("right in mode %d: %d sets, %d of them MPI's\n", run, listed, own);
  return 0;
}
