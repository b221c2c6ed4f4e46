// SPDX-License-Identifier: Apache-2.0
// A loop over neighbours on the way to a loop: a copy of it says early what each round will unpack. Tiles, requests that
// one loop starts and another one waits for, and processors that add to a product in one operation.
//
// RUN: %ir -ffp-contract=off %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate),instcombine,jump-threading,simplifycfg,loop-simplify),lapwing,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
// RUN: %ir -ffp-contract=on -march=x86-64-v3 -DFUSED %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' | FileCheck %s --check-prefix=FUSED
// RUN: %ir -ffp-contract=fast -march=x86-64-v3 -DFUSED %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' | FileCheck %s --check-prefix=LOOSE
#include <mpi.h>

struct neighbour {
  double *in, *out;
  long first, count;
  int partner;
  MPI_Request received, sent;
};

#ifndef FUSED

// CHECK-LABEL: define {{.*}}@sweep(
// CHECK: call void @lapwing_interior_give(
// CHECK-NEXT: {{.*}} @MPI_Irecv(
// The waits stand behind a second question, whether there are neighbours; what they wait for is known all the same.
// CHECK-NEXT: call void @lapwing_defer_receives(
// CHECK: call i32 @lapwing_interior_is_worth(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// The waits stay in their loop, so only polls move the messages beside the early rounds.
// CHECK: .interior:
// CHECK: br i1 %lapwing.polls,
// CHECK: call {{.*}}@lapwing_poll(
// CHECK: .first:
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Wait
void sweep(struct neighbour* restrict all, int neighbours, double* restrict u, double* restrict v, long rows, long columns) {
  for (int n = 0; n < neighbours; ++n) {
    MPI_Irecv(all[n].in, 100, MPI_DOUBLE, all[n].partner, 0, MPI_COMM_WORLD, &all[n].received);
    MPI_Isend(all[n].out, 100, MPI_DOUBLE, all[n].partner, 0, MPI_COMM_WORLD, &all[n].sent);
  }
  for (int n = 0; n < neighbours; ++n) {
    MPI_Wait(&all[n].sent, MPI_STATUS_IGNORE);
    MPI_Wait(&all[n].received, MPI_STATUS_IGNORE);
    for (long i = 0; i < all[n].count; ++i) u[all[n].first + i] = all[n].in[i];
  }
  for (long i = 1; i < rows; ++i)
    for (long j = 0; j < columns; ++j) v[i * columns + j] = u[(i - 1) * columns + j] * 0.5;
}

// The wait's loop may run further than the one that starts: what it waits for is not known.
// CHECK-LABEL: define {{.*}}@other_counts(
// CHECK-NOT: @lapwing_interior
// CHECK: ret void
void other_counts(struct neighbour* restrict all, int starts, int waits, double* restrict u, double* restrict v, long rows) {
  for (int n = 0; n < starts; ++n)
    MPI_Irecv(all[n].in, 100, MPI_DOUBLE, all[n].partner, 0, MPI_COMM_WORLD, &all[n].received);
  for (int n = 0; n < waits; ++n) MPI_Wait(&all[n].received, MPI_STATUS_IGNORE);
  for (long i = 0; i < rows; ++i) v[i] = u[i] * 0.5;
}

// The last tile may be shorter than the others.
// CHECK-LABEL: define {{.*}}@tiles(
// CHECK: call { i64, i64 } @lapwing_interior_end()
void tiles(double* restrict u, double* restrict v, int rows, int columns, int tile, int peer) {
  MPI_Recv(u, columns, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int block = 1; block <= rows; block += tile)
    for (int i = block; i <= (rows < block + tile - 1 ? rows : block + tile - 1); ++i)
      for (int j = 0; j < columns; ++j) v[(long)i * columns + j] = u[(long)(i - 1) * columns + j] * 0.5;
}

#else

// One operation in all copies, unless the code generator may choose.
// FUSED-LABEL: define {{.*}}@fused(
// FUSED: call { i64, i64 } @lapwing_interior_end()
// LOOSE-LABEL: define {{.*}}@fused(
// LOOSE-NOT: @lapwing_interior
// LOOSE: ret void
void fused(double* restrict u, double* restrict v, long rows, int peer) {
  MPI_Recv(u, 100, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long i = 0; i < rows; ++i) v[i] = u[i] * 0.5 + u[i + 1];
}

#endif
