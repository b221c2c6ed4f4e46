/* SPDX-License-Identifier: Apache-2.0
 *
 * RUN: %ir -gline-tables-only %s -o - | %clean | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
 *
 * Calls that complete some of several requests stay, and say why; other waits cross them.
 */
#include <mpi.h>

enum { most = 8, many = 50000 };
static double out[many], in[most][many], grid[many];
static MPI_Request q[most];

// CHECK-DAG: MPI_Wait at sets.c:[[#@LINE+5]] is moved: its wait stands at sets.c:[[#@LINE+11]] (a write to `out`)
// CHECK-DAG: MPI_Waitany: which request it waits for is known only when it returns: the program goes by that
void wait_any(int peer, int n) {
  MPI_Request sent;
  MPI_Isend(out, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &sent);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  for (int done = 0; done < n; ++done) {
    int which;
    MPI_Waitany(n, q, &which, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) grid[i] += in[which][i];
  }
  out[0] = 1;
}

// CHECK-DAG: MPI_Send at sets.c:[[#@LINE+4]] is split: its wait stands at sets.c:[[#@LINE+10]] (a write to `out`)
// CHECK-DAG: MPI_Waitsome: which requests it waits for is known only when it returns: the program goes by that
void wait_some(int peer, int n) {
  int which[most], found = 0;
  MPI_Send(out, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  for (int done = 0; done < n; done += found) {
    MPI_Waitsome(n, q, &found, which, MPI_STATUSES_IGNORE);
    for (int k = 0; k < found; ++k)
      for (int i = 0; i < many; ++i) grid[i] += in[which[k]][i];
  }
  out[0] = 1;
}

/* A loop that asks until all are over. */
// CHECK-DAG: MPI_Send at sets.c:[[#@LINE+4]] is split: its wait stands at sets.c:[[#@LINE+9]] (a write to `out`)
// CHECK-DAG: MPI_Testall: it does not wait: the program goes by its answer
void poll(int peer, int n) {
  int done = 0;
  MPI_Send(out, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  while (!done) {
    MPI_Testall(n, q, &done, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; ++i) grid[i] = grid[i] * 0.5 + i;
  }
  out[0] = 1;
}

/* One of its own set may be over, but this wait is for another. */
// CHECK-DAG: MPI_Testany: it does not wait: the program goes by its answer
// CHECK-DAG: MPI_Wait: stopped at sets.c:[[#@LINE+8]]: a use of the request or the status
void own_set(int peer) {
  MPI_Request two[2];
  int which, done;
  MPI_Isend(out, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &two[0]);
  MPI_Isend(grid, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &two[1]);
  for (int i = 0; i < many; ++i) in[0][i] = i;
  MPI_Wait(&two[0], MPI_STATUS_IGNORE);
  MPI_Testany(2, two, &which, &done, MPI_STATUS_IGNORE);
  for (int i = 0; i < many; ++i) in[0][i] = i + in[0][i];
  MPI_Wait(&two[1], MPI_STATUS_IGNORE);
}
