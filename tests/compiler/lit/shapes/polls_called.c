// SPDX-License-Identifier: Apache-2.0
// Functions that are called where a transfer is in flight poll as well, but only those that nothing can call from
// inside MPI or from a signal's handler.
//
// RUN: %ir %s -o - | %clean > %t.ll
// RUN: %lapwing -passes='lapwing,verify' %t.ll | FileCheck %s
// RUN: %lapwing -passes='lapwing,lapwing,verify' %t.ll | FileCheck %s
#include <mpi.h>

#define N 300
static double a[20000], b[20000], work[N][N];

#define NEST(NAME)                                                       \
  __attribute__((noinline)) void NAME(double scale) {                    \
    for (int i = 0; i < N; ++i) {                                        \
      for (int k = 0; k < N; ++k) work[i][k] = work[i][k] * 0.5 + scale; \
      for (int k = 1; k < N; ++k) work[i][k] += work[i][k - 1];          \
    }                                                                    \
  }

// Its address may be a signal's handler.
// CHECK-LABEL: define {{.*}}@handler(
// CHECK-NOT: @lapwing_poll
// CHECK: ret void
static NEST(handler)
void (*volatile at_signal)(double) = handler;

// CHECK-LABEL: define {{.*}}@other_handler(
static void shared(double scale);
__attribute__((noinline)) static void other_handler(double scale) { shared(scale); }
void (*volatile at_other_signal)(double) = other_handler;

// Other files may do as they like with it.
// CHECK-LABEL: define {{.*}}@seen(
// CHECK-NOT: @lapwing_poll
// CHECK: ret void
NEST(seen)

static void before(double scale), meanwhile(double scale), between(double scale);

// CHECK-LABEL: define {{.*}}@exchange(
// CHECK: call void @before(
// CHECK: call ptr @lapwing_pair_recv
// CHECK: call {{.*}}@meanwhile(
// CHECK: call void @lapwing_wait
// CHECK: ret double
double exchange(int peer) {
  before(1.0);
  a[0] = b[0] = 1.0;
  MPI_Sendrecv(a, 20000, MPI_DOUBLE, peer, 0, b, 20000, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  meanwhile(1.0);
  between(1.0);
  handler(1.0);
  shared(1.0);
  seen(1.0);
  return b[3];
}

// Nothing is in flight.
// CHECK-LABEL: define {{.*}}@before(
// CHECK-NOT: @lapwing_poll
// CHECK: ret void
static NEST(before)

// CHECK-LABEL: define {{.*}}@meanwhile(
// CHECK: %lapwing.left{{.*}} = phi i32 [ 128, %entry ]
// CHECK: call preserve_allcc i32 @lapwing_poll(
// CHECK: ret void
static NEST(meanwhile)

// CHECK-LABEL: define {{.*}}@between(
static void below(double scale);
__attribute__((noinline)) static void between(double scale) {
  below(scale);
  below(scale + 1);
}

// A handler calls it.
// CHECK-LABEL: define {{.*}}@shared(
// CHECK-NOT: @lapwing_poll
// CHECK: ret void
static NEST(shared)

// CHECK-LABEL: define {{.*}}@below(
// CHECK: call preserve_allcc i32 @lapwing_poll(
// CHECK: ret void
static NEST(below)
