// SPDX-License-Identifier: Apache-2.0
// An answer may be all that tells a program that a send is over for which nobody has
// waited. Where the program keeps MPI's letter, nothing is held back.
//
// RUN: %clang_lapwing -g -c %s -o /dev/null -Rpass=lapwing -Rpass-missed=lapwing 2>&1 | FileCheck %s
#include <mpi.h>

enum { many = 20000 };
static double a[many], b[many], answer[many], work[many];
static void calculate(void) {
  for (int i = 0; i < many; ++i) work[i] = work[i] * 0.5 + 1;
}

// CHECK: MPI_Recv at unfinished.c:[[#@LINE+5]] is split: its wait stands at unfinished.c:[[#@LINE+7]] (a write to what a send that nobody has waited for may still read
double answered(int peer) {
  MPI_Request r;
  for (int i = 0; i < many; ++i) a[i] = i;
  MPI_Isend(a, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Recv(answer, many, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  calculate();
  a[7] = 3;
  calculate();
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  return answer[3];
}

// The last round's send is waited for where there was one.
// CHECK: MPI_Recv at unfinished.c:[[#@LINE+8]] is split: its wait stands at
// CHECK-NOT: nobody has waited
void last_rounds(int peer, int n) {
  MPI_Request r;
  for (int k = 0; k < n; ++k) {
    if (k > 0) MPI_Wait(&r, MPI_STATUS_IGNORE);
    for (int i = 0; i < many; ++i) a[i] = i + k;
    MPI_Isend(a, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
    MPI_Recv(answer, many, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    calculate();
  }
  if (n > 0) MPI_Wait(&r, MPI_STATUS_IGNORE);
}

// A wait behind a question, as an earlier run of the pass leaves it.
// CHECK: MPI_Recv at unfinished.c:[[#@LINE+5]] is split: its wait stands at
// CHECK-NOT: nobody has waited
void asks(int peer, int sends) {
  MPI_Request r;
  if (sends) MPI_Isend(a, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Recv(answer, many, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  calculate();
  if (sends) MPI_Wait(&r, MPI_STATUS_IGNORE);
  for (int i = 0; i < many; ++i) a[i] = b[i];
  calculate();
  b[0] = answer[0];
}

// One request for all rounds: the wait is for the last.
// CHECK: MPI_Recv at unfinished.c:[[#@LINE+6]] is split: its wait stands at {{.*}}(a write to what a send that nobody has waited for may still read
void loses(int peer, int n) {
  MPI_Request r;
  for (int k = 0; k < n; ++k) MPI_Isend(a + k * 100, 100, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  calculate();
  MPI_Recv(answer, many, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  calculate();
  for (int i = 0; i < many; ++i) a[i] = b[i];
  calculate();
  b[0] = answer[0];
}

// A completion writes its request, its status and its error: none of these is what a send may still read.
// CHECK: MPI_Wait at unfinished.c:[[#@LINE+5]] is moved: its wait stands at unfinished.c:[[#@LINE+8]] (
double completes(double** in, double** out, MPI_Status* status, int peer) {
  MPI_Request r[2];
  MPI_Irecv(*in, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(*out, many, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
  MPI_Wait(&r[0], status);
  calculate();
  MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  return (*in)[0];
}
