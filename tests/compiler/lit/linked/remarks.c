/* SPDX-License-Identifier: Apache-2.0
 *
 * REQUIRES: lld
 * RUN: clang -O2 -g -fPIC -shared -nostdlib -flto -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -Rpass=lapwing -Rpass-missed=lapwing %include %s -o %t.so > %t.said 2>&1
 * RUN: FileCheck %s < %t.said
 *
 * The linker's remarks look as the compiler's do, and each place is named once, however often it was inlined.
 */
#include <mpi.h>

static double a[20000], w[20000];

static inline __attribute__((always_inline)) void give(int peer) {
  // CHECK: {{^.*}}remarks.c:[[#@LINE+1]]:3: remark: MPI_Send at remarks.c:[[#@LINE+1]] is split: its wait stands at {{.*}} (a write to `a`) [-Rpass=lapwing]{{$}}
  MPI_Send(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  for (int i = 1; i < 20000; ++i) w[i] = w[i - 1] * 0.5 + i;
  a[5] = 1;
  // CHECK: {{^.*}}remarks.c:[[#@LINE+1]]:3: remark: MPI_Recv: stopped at remarks.c:{{.*}}: a read of `a` [-Rpass-missed=lapwing]{{$}}
  MPI_Recv(a, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  a[0] += 1;
}

// CHECK-NOT: remark
void first(int peer) { give(peer); }
void second(int peer) { give(peer + 1); }
