// SPDX-License-Identifier: Apache-2.0
// What looks equal on all processes and may not be: each of these branches is a split.
//
// RUN: %ir %s -o - | %sets -o %t.ll 2> %t.remarks
// RUN: grep -c 'call void @lapwing_sets_split' %t.ll | FileCheck %s
// RUN: not grep 'the same way' %t.remarks
// CHECK: {{^}}23{{$}}
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int stored, kept, counted;
int seen_by_others;
int unknown(void);
void touches(int* p);
#define SPLIT(condition) \
  if (condition) MPI_Barrier(MPI_COMM_WORLD)

static void by_argument(int n) { SPLIT(n); }              // 1: one caller passes a rank
static void by_reference(const int* n) { SPLIT(*n); }     // 2
static int result(int n) { return n > 0 ? 3 : 4; }
static void stores(void) { stored = 3; }
static void global_after(void) { SPLIT(kept); }           // 3: as its caller left it
void from_elsewhere(int n) { SPLIT(n); }                  // 4

int main(int argc, char** argv) {
  int rank, n = 0, m = 0, k = 0, a[4] = {0};
  MPI_Status status;
  MPI_Comm half, other;
  MPI_Init(&argc, &argv);
  SPLIT(argc > 2);                                        // 5
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  by_argument(3);
  by_argument(rank);
  by_reference(&rank);
  SPLIT(result(rank) == 3);                               // 6
  if (rank == 0) stores();
  SPLIT(stored);                                          // 7
  kept = rank;
  global_after();
  // A broadcast on a part of the processes.
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Bcast(&n, 1, MPI_INT, 0, half);
  SPLIT(n);                                               // 8
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  other = rank ? half : MPI_COMM_WORLD;
  MPI_Bcast(&n, 1, MPI_INT, 0, other);
  SPLIT(n);                                               // 9
  MPI_Recv(&n, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
  SPLIT(n);                                               // 10
  SPLIT(status.MPI_TAG);                                  // 11
  MPI_Reduce(&rank, &m, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  SPLIT(m);                                               // 12
  MPI_Scan(&rank, &m, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  SPLIT(m);                                               // 13
  SPLIT(MPI_Wtime() > 3);                                 // 14
  SPLIT(time(NULL) > 3);                                  // 15
  SPLIT(rand() > 3);                                      // 16
  SPLIT(getenv("HOME") != NULL);                          // 17
  SPLIT(unknown());                                       // 18
  // Broadcast, and then written by a function that is not known.
  MPI_Bcast(&k, 1, MPI_INT, 0, MPI_COMM_WORLD);
  touches(&k);
  SPLIT(k);                                               // 19
  // Part of an array is broadcast, another is read.
  a[3] = rank;
  MPI_Bcast(a, 2, MPI_INT, 0, MPI_COMM_WORLD);
  SPLIT(a[3]);                                            // 20
  // Equal in each round of a loop that processes leave in different rounds.
  for (int i = 0; i < rank; ++i) counted = i;
  SPLIT(counted);                                         // 21
  int still = 0;
  for (int i = 0; i < rank; ++i) still = i;
  SPLIT(still);                                           // 22
  // By a non-blocking receive.
  MPI_Request request;
  MPI_Bcast(&m, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Irecv(&m, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  SPLIT(m);                                               // 23
  MPI_Finalize();
  return 0;
}
