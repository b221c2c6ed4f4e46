/* SPDX-License-Identifier: Apache-2.0
 *
 * RUN: %ir -gline-tables-only -fopenmp %s -o - | %clean | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -S -o %t 2> %t.remarks
 * RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
 * RUN: FileCheck %s < %t
 *
 * Handed waits and parallel regions: a team may run in a function that returns with a transfer in flight, and
 * one thread of a team may be its caller; a region's own function hands nothing over.
 */
#include <mpi.h>

int omp_get_thread_num(void);
static double out[50000], grid[50000];

static __attribute__((noinline)) void give(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel for
  for (int i = 0; i < 50000; ++i) grid[i] = grid[i] * 0.5 + i;
}

void team_inside(int peer) {
  // REMARK-DAG: MPI_Send at handed_parallel.c:[[#@LINE+1]] of a function called here is moved: its wait stands at handed_parallel.c:[[#@LINE+3]] (a write to `out`)
  give(peer);
  for (int i = 0; i < 50000; ++i) grid[i] += 1;
  out[5] = 1;
}

static __attribute__((noinline)) void give_again(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
}

/* The thread that has called waits before the team meets. */
void called_by_a_thread(int peer) {
#pragma omp parallel
  {
    // REMARK-DAG: MPI_Send at handed_parallel.c:[[#@LINE+1]] of a function called here is moved: {{.*}}at handed_parallel.c:[[#@LINE+3]] (a barrier of the threads of a parallel region)
    if (omp_get_thread_num() == 0) give_again(peer);
    for (int i = 0; i < 50000; ++i) grid[i] = grid[i] * 0.5 + i;
#pragma omp barrier
    if (omp_get_thread_num() == 1) out[0] = 1;
  }
}

/* It ends with its region: the runtime, which calls it, cannot wait. */
// CHECK: call {{.*}}@lapwing_start_send({{.*}}i32 {{(noundef )?}}2,
// CHECK-NOT: @lapwing.handed
// CHECK: call void @lapwing_wait
// CHECK: ret void
void sends_itself(int peer) {
#pragma omp parallel num_threads(1)
  {
    MPI_Send(out, 50000, MPI_DOUBLE, peer, 2, MPI_COMM_WORLD);
    for (int i = 0; i < 50000; ++i) grid[i] = grid[i] * 0.5 + i;
  }
}
