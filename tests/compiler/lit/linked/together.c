/* SPDX-License-Identifier: Apache-2.0
 *
 * REQUIRES: lld
 * RUN: clang -O2 -g -fPIC -flto -fno-vectorize -fno-unroll-loops -DEXCHANGE %include -c %s -o %t.exchange.o
 * RUN: clang -O2 -g -fPIC -flto -fno-vectorize -fno-unroll-loops -DSMOOTH %include -c %s -o %t.smooth.o
 * RUN: clang -O2 -g -fPIC -flto -fno-vectorize -fno-unroll-loops -DSTEPS %include -c %s -o %t.steps.o
 * RUN: env LAPWING_PASS=interior=on clang -O2 -fPIC -shared -nostdlib -flto -fuse-ld=lld -Wl,-mllvm,-inline-threshold=0 -Wl,--load-pass-plugin=%plugin -Rpass=lapwing %t.exchange.o %t.smooth.o %t.steps.o -o %t.so > %t.said 2>&1
 * RUN: FileCheck %s < %t.said
 *
 * An exchange and a loop that are functions of two files and called from several places of a third.
 */
#include <mpi.h>

void exchange(double* x, long n, int ghosts, int below, int above);
void smooth(const double* restrict x, double* restrict y, long n);
void says(double);

#ifdef EXCHANGE
void exchange(double* x, long n, int ghosts, int below, int above) {
  MPI_Request requests[2];
  MPI_Irecv(x - ghosts, ghosts, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(x + n, ghosts, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Send(x + n - ghosts, ghosts, MPI_DOUBLE, above, 0, MPI_COMM_WORLD);
  MPI_Send(x, ghosts, MPI_DOUBLE, below, 1, MPI_COMM_WORLD);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
#endif

#ifdef SMOOTH
// CHECK: together.c:[[#@LINE+2]]:3: remark: the loop is divided
void smooth(const double* restrict x, double* restrict y, long n) {
  for (long i = 0; i < n; ++i) y[i] = 0.5 * x[i] + 0.25 * (x[i - 1] + x[i + 1]);
}
#endif

#ifdef STEPS
void step(double* restrict x, double* restrict y, long n, int ghosts, int below, int above) {
  exchange(x, n, ghosts, below, above);
  smooth(x, y, n);
}
void others(double* x, double* y, long n, int ghosts, int below, int above) {
  for (int k = 0; k < 3; ++k) {
    exchange(x + k, n, ghosts, below, above);
    says(x[0]);
    exchange(y + k, n, ghosts, above, below);
    says(x[0]);
    exchange(y - k, n + 1, ghosts, above, below);
    smooth(x - k, y + k, n);
    says(x[0]);
    smooth(y - k, x + k, n);
    says(y[0]);
  }
}
#endif
