/* SPDX-License-Identifier: Apache-2.0
 * Two halves of a program that know each other only by a name: the first part splits the processes and names
 * the sets, the second, which stands for a library that uses MPI's sessions, finds them among MPI's process
 * sets and makes communicators of them. Needs an MPI with sessions (MPI 4): MPICH from 4.0 on, Open MPI
 * from 5.0 on. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "lapwing/sets.h"

/* The library: it knows MPI and a name. Adds up `value` over the process set, or gives -1 where there is
 * none. */
static long sum_over(const char* set, long value) {
  int sets, n, length;
  long sum = -1;
  char name[1024];
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  for (n = 0; n < sets; ++n) {
    length = sizeof name;
    MPI_Session_get_nth_pset(session, MPI_INFO_NULL, n, &length, name);
    if (strcmp(name, set) != 0) continue;
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
  }
  MPI_Session_finalize(&session);
  return sum;
}

int main(int argc, char** argv) {
  int rank, size, ocean, wrong, any;
  long sum, expected = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  ocean = rank >= size / 3; /* a third of the processes for the ice, the others for the ocean */
  lapwing_split(MPI_COMM_WORLD, 2, ocean);
  lapwing_set_publish(MPI_COMM_WORLD, ocean ? "ocean" : "ice");
  lapwing_merge(MPI_COMM_WORLD);

  /* The split is merged; the names stay. */
  sum = sum_over(ocean ? "lapwing://ocean" : "lapwing://ice", rank);
  for (int r = ocean ? size / 3 : 0; r < (ocean ? size : size / 3); ++r) expected += r;
  wrong = sum != expected || sum_over(ocean ? "lapwing://ice" : "lapwing://ocean", rank) != -1;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sessions: %d processes, %d of them ice: %s\n", size, size / 3, any ? "wrong" : "right");
  MPI_Finalize();
  return any;
}
