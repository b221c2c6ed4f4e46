// SPDX-License-Identifier: Apache-2.0
// MPI's functions throw only where a handler of the program's own does: without one a wait crosses calls that have
// another way on, and on that way it is done as well; with one it stays above them.
//
// RUN: %cxx_ir %s -o - | %clean | %lapwing -passes=lapwing,verify -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
// RUN: %cxx_ir -DHANDLER %s -o - | %clean | %lapwing -passes=lapwing,verify -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck --check-prefix=HANDLER %s
// RUN: %cxx_ir %s -o - | %clean | %lapwing -passes=lapwing,verify | FileCheck --check-prefix=CODE %s
#define MPICH_SKIP_MPICXX
#include <mpi.h>

static double a[20000], b[20000], work[20000];
#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1
struct Guard {
  ~Guard() { work[0] = 1; }
};

// CHECK: MPI_Send at exceptions.cpp:[[#@LINE+4]] is split: its wait stands at {{.*}} (a call of a function that is not known), at {{.*}} (the end of the function)
// HANDLER: MPI_Send: {{.*}}error handlers
// CODE-LABEL: define {{.*}}crosses
void crosses() {
  MPI_Send(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  WORK;
  try {
    MPI_Send(b, 20000, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    // CODE: landingpad
    // CODE: call void @lapwing_wait
    // CODE: __cxa_begin_catch
  } catch (...) {
    work[1] = 2;
  }
  WORK;
}
// CHECK: MPI_Wait at {{.*}} is moved
// HANDLER: MPI_Wait: {{.*}}error handlers
void waits() {
  MPI_Request r;
  Guard guard;
  MPI_Isend(a, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  WORK;
}
// CHECK: MPI_Sendrecv at {{.*}} is split
// CODE-LABEL: define {{.*}}exchanges
// CODE: call ptr @lapwing_pair_send
// CODE: call ptr @lapwing_pair_recv
// HANDLER: MPI_Sendrecv: {{.*}}error handlers
void exchanges() {
  Guard guard;
  MPI_Sendrecv(a, 20000, MPI_DOUBLE, 1, 0, b, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  WORK;
  work[2] += b[0];
}
#ifdef HANDLER
void handles(MPI_Comm*, int*, ...) { throw 1; }
void sets() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handles, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}
#endif
