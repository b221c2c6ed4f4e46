// SPDX-License-Identifier: Apache-2.0
// Which starts a wait is matched with (figure 3), and what becomes of it.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
#include <mpi.h>

static double a[20000], b[20000], work[20000];
MPI_Request global;
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1
#define ISEND(buffer, request) MPI_Isend(buffer, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request)
#define IRECV(buffer, request) MPI_Irecv(buffer, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request)
#define WAIT(request) MPI_Wait(request, MPI_STATUS_IGNORE)

// Figure 3: two starts, one wait, one buffer.
// CHECK: MPI_Wait at waits.c:[[#@LINE+7]] is moved: its wait stands at {{.*}} (a write to `b`
void figure3(int c) {
  MPI_Request r;
  if (c)
    ISEND(b, &r);
  else
    ISEND(b, &r);
  WAIT(&r);
  WORK;
  b[0] = 1;
}
// CHECK: MPI_Waitall at waits.c:[[#@LINE+5]] is moved: its wait stands at {{.*}} (a write to `b`
void all(void) {
  MPI_Request r[2];
  ISEND(a, &r[0]);
  ISEND(b, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  WORK;
  b[0] = 1;
}
// CHECK: MPI_Wait at waits.c:[[#@LINE+5]] is moved: its wait stands at {{.*}} (a read of `b`
double element(void) {
  MPI_Request r[2];
  ISEND(a, &r[0]);
  IRECV(b, &r[1]);
  WAIT(&r[1]);
  WORK;
  double x = b[0];
  WAIT(&r[0]);
  return x;
}
// CHECK: MPI_Wait at waits.c:[[#@LINE+5]] is moved
double restarted(void) {
  MPI_Request r;
  MPI_Recv_init(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
  MPI_Start(&r);
  WAIT(&r);
  WORK;
  double x = a[0];
  MPI_Request_free(&r);
  return x;
}
// A status that is read is a use of the wait.
// CHECK: MPI_Wait at waits.c:[[#@LINE+6]] is moved: its wait stands at {{.*}} (a use of the request or the
// status
int status(void) {
  MPI_Request r;
  MPI_Status s;
  IRECV(a, &r);
  MPI_Wait(&r, &s);
  WORK;
  return s.MPI_TAG;
}
// CHECK: MPI_Wait: {{.*}}may be started in another function
void elsewhere(void) {
  WAIT(&global);
  WORK;
}
// CHECK: MPI_Wait: {{.*}}copied from elsewhere
void copied(void) {
  MPI_Request r, q;
  ISEND(a, &r);
  q = r;
  WAIT(&q);
  WORK;
}
// CHECK: MPI_Wait: {{.*}}cancelled
void cancelled(void) {
  MPI_Request r;
  IRECV(a, &r);
  MPI_Cancel(&r);
  WAIT(&r);
  WORK;
}

// A request of this file's own, started in a function that is not inlined.
static MPI_Request own;
static __attribute__((noinline)) void starts_own(void) { ISEND(b, &own); }
// CHECK: MPI_Wait at waits.c:[[#@LINE+1]] is moved: its wait stands at {{.*}} (a write to `b`
void waits_for_own(void) { starts_own(); WAIT(&own); WORK; b[0] = 1; }
