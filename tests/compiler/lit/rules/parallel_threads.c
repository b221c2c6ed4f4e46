/* SPDX-License-Identifier: Apache-2.0
 *
 * RUN: %ir -gline-tables-only -fopenmp %s -o - | %clean | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -disable-output 2>&1 | FileCheck %s --check-prefix=ANY
 * RUN: %ir -gline-tables-only -fopenmp -DINITIALISES %s -o - | %clean | %lapwing -passes='lapwing<aggressive>,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s --check-prefix=ONE
 *
 * Threads of a team communicate here. Another file may have asked for MPI_THREAD_MULTIPLE: then a message
 * may tell one thread what another has done.
 */
#include <mpi.h>

int omp_get_thread_num(void);
static double in[50000];
double shared[50000];

// ANY: MPI_Recv at parallel_threads.c:[[#@LINE+4]] is split once its message is matched
// ONE: MPI_Recv at parallel_threads.c:[[#@LINE+3]] is split: its wait
static void receive(int peer) {
  if (omp_get_thread_num() != 0) return;
  MPI_Recv(in, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 50000; ++i) shared[i] = shared[i] * 0.5 + i;
  in[0] += 1;
}

void team(int peer) {
#pragma omp parallel
  receive(peer);
}

static double out[50000];
// ONE: remark: {{.*}}MPI_Send: stopped at parallel_threads.c:[[#@LINE+3]]: a parallel region that does more than compute
void sends(int peer) {
  MPI_Send(out, 50000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
#pragma omp parallel
  MPI_Send(shared, 5, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
}

#ifdef INITIALISES
void initialise(void) {
  int level;
  MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &level);
}
#endif
