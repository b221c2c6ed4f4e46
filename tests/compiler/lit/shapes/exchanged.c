// SPDX-License-Identifier: Apache-2.0
// Two arrays that change places from step to step are still not the buffer: the
// wait crosses the sweep.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing | FileCheck %s
#include <mpi.h>

// CHECK-LABEL: define {{.*}}@sweeps(
// CHECK: call ptr @lapwing_{{start|post}}_recv
// CHECK: fadd
// CHECK: call void @lapwing_wait
// CHECK: call void @lapwing_wait
void sweeps(double* restrict now, double* restrict next, double* restrict out, double* restrict in, int n, int steps,
            int peer) {
  for (int s = 0; s < steps; ++s) {
    MPI_Send(out, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    MPI_Recv(in, n, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n; ++i) next[i] = now[i] + now[i - 1];
    next[0] = in[n - 1];
    out[0] = next[1];
    double* t = now;
    now = next;
    next = t;
  }
}
