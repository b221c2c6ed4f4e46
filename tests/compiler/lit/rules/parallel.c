/* SPDX-License-Identifier: Apache-2.0
 *
 * RUN: %ir -gline-tables-only -fopenmp %s -o - | %clean | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
 *
 * A parallel region is crossed where it is known to leave the buffer alone.
 */
#include <mpi.h>

static double out[50000], grid[50000];

// CHECK: remark: {{.*}}parallel.c:[[#@LINE+2]]:3: MPI_Send at parallel.c:[[#@LINE+2]] is split: its wait stands at parallel.c:[[#@LINE+7]] (a write to `out`)
void named(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < 50000; ++i) grid[i] = grid[i] * 0.5 + i;
#pragma omp parallel for schedule(dynamic) num_threads(2)
  for (int i = 0; i < 50000; ++i) grid[i] += i;
  out[0] = 1;
}

/* Through the variable that holds it. */
// CHECK: remark: {{.*}}MPI_Send at parallel.c:[[#@LINE+2]] is split: its wait stands at parallel.c:[[#@LINE+5]] (a write to `out`)
void held(double* restrict w, int n, int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) w[i] = w[i] * 0.5 + i;
  out[0] = 1;
}

// CHECK: remark: {{.*}}MPI_Send: stopped at parallel.c:[[#@LINE+3]]: a call that may write to `out`
void written(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < 50000; ++i) out[i] = grid[i];
}

/* The pointer that is held may be the buffer. */
// CHECK: remark: {{.*}}MPI_Recv: stopped at parallel.c:[[#@LINE+3]]: a call that may {{read|write to}} `from`
void read_by_another_name(double* w, const double* again, double* from, int n, int peer) {
  MPI_Recv(from, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) w[i] = again[i];
}

/* The variable is changed by the region: what it holds then is not known. */
// CHECK: remark: {{.*}}MPI_Send: stopped at parallel.c:[[#@LINE+4]]: a call that may write to `out`
void changed(double* w, int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  double* p = w;
#pragma omp parallel
  {
    p = out;
    for (int i = 0; i < 50000; ++i) p[i] = i;
  }
  grid[0] = p[0];
}

/* A barrier within the region is the team's own affair. */
// CHECK: remark: {{.*}}MPI_Send at parallel.c:[[#@LINE+2]] is split: its wait stands at parallel.c:[[#@LINE+8]] (a write to `out`)
void barrier(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel
  {
#pragma omp barrier
    grid[0] = 1;
  }
  out[0] = 1;
}

/* The other threads of a team may learn from it that a wait is over. */
// CHECK: remark: {{.*}}MPI_Send: stopped at parallel.c:[[#@LINE+3]]: a barrier of the threads of a parallel region
void orphan(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp barrier
  for (int i = 0; i < 50000; ++i) grid[i] = i;
}

static __attribute__((noinline)) void meets(void) {
#pragma omp barrier
  grid[1] = 1;
}
// CHECK: remark: {{.*}}MPI_Send: stopped at parallel.c:[[#@LINE+3]]:
void orphan_called(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  meets();
}

// CHECK: remark: {{.*}}MPI_Send: stopped at parallel.c:[[#@LINE+3]]: a parallel region that does more than compute
void atomics(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel
#pragma omp atomic
  grid[0] += 1;
}

// CHECK: remark: {{.*}}MPI_Waitany: which request it waits for is known only when it returns
// CHECK: remark: {{.*}}MPI_Testall: it does not wait: the program goes by its answer
void sets(int peer) {
  MPI_Request q[2];
  int which, done;
  MPI_Isend(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &q[0]);
  MPI_Irecv(grid, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &q[1]);
  MPI_Waitany(2, q, &which, MPI_STATUS_IGNORE);
  do MPI_Testall(2, q, &done, MPI_STATUSES_IGNORE);
  while (!done);
}
