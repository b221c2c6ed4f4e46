// SPDX-License-Identifier: Apache-2.0
// Requests by element: of an array that MPI alone was told of nothing else is known to point there; under two equal
// conditions; from an allocation; in a loop that starts and one that waits.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing,verify -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
#include <mpi.h>
#include <stdlib.h>

static double work[20000];
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1
struct Halo {
  double *in, *out;
  int* list;
};
void know(void* it);

// CHECK: MPI_Wait at requests.c:[[#@LINE+11]] is moved: its wait stands at
// CHECK: MPI_Wait: stopped at requests.c:[[#@LINE+12]]
void conditions(struct Halo* h, int peer, int rounds) {
  MPI_Request r[2];
  for (int round = 0; round < rounds; ++round) {
    if (peer >= 0) {
      MPI_Irecv(h->in, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
      for (int i = 0; i < 20000; ++i) h->out[i] = work[i];
      MPI_Isend(h->out, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
    }
    if (peer >= 0) {
      MPI_Wait(&r[0], MPI_STATUS_IGNORE);
      MPI_Wait(&r[1], MPI_STATUS_IGNORE);
      for (int i = 0; i < 20000; ++i) work[i] += h->in[i];
    }
    WORK;
  }
}

// Whose address somebody has may be what a pointer leads to.
// CHECK: MPI_Wait: stopped at requests.c:[[#@LINE+5]]: its request is copied from elsewhere
void known(struct Halo* h, int peer) {
  MPI_Request r[1];
  know(r);
  MPI_Isend(work, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  h->list[0] = peer;
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 20000; ++i) h->out[i] = h->out[i] * 0.5 + 1;
}

// CHECK: MPI_Wait at requests.c:[[#@LINE+6]] is moved: its wait stands at {{.*}} (a write to `work`)
void allocated(struct Halo* h, int n, int peer) {
  MPI_Request* r = malloc(n * sizeof *r);
  for (int i = 0; i < n; ++i) MPI_Isend(work + i, 1000, MPI_DOUBLE, peer, i, MPI_COMM_WORLD, r + i);
  for (int i = 0; i < n; ++i) {
    h->list[i] = i;
    MPI_Wait(r + i, MPI_STATUS_IGNORE);
    for (int j = 0; j < 20000; ++j) h->list[j] = h->list[j] * 3 + 1;
    work[i] = 1;
  }
  free(r);
}

// A message of floating-point numbers is none of integers; of bytes it may be.
// CHECK: MPI_Send at requests.c:[[#@LINE+3]] is split: its wait stands at requests.c:[[#@LINE+5]] (a write to
// CHECK: MPI_Send: stopped at requests.c:[[#@LINE+6]]: a write to
void integers(struct Halo* h, int peer) {
  MPI_Send(h->out, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 20000; ++i) h->list[i] = h->list[i] * 3 + 1;
  h->out[0] = 2;
  MPI_Send(h->in, 160000, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  for (int i = 0; i < 20000; ++i) h->list[i] = h->list[i] * 3 + 1;
}

// An array of no requests has no memory, as that of an empty vector.
// CHECK: MPI_Waitall at requests.c:[[#@LINE+6]] is moved: its wait stands at
double perhaps_none(struct Halo* h, int n, int peer) {
  know(h);
  MPI_Request* r = 0;
  if (n > 0) r = malloc(n * sizeof *r);
  for (int i = 0; i < n; ++i) MPI_Irecv(h->in + i * 1000, 1000, MPI_DOUBLE, peer, i, MPI_COMM_WORLD, r + i);
  MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
  WORK;
  free(r);
  return h->in[0];
}
