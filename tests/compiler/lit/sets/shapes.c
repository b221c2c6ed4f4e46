// SPDX-License-Identifier: Apache-2.0
// Where splits and merges go, by the kind of branch.
//
// RUN: %ir %s -o - | %sets -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
#include <mpi.h>
#include <stdlib.h>

void work(void);

// CHECK-LABEL: define {{.*}}@one_sided(
// CHECK: %[[depth:.*]] = call i32 @lapwing_sets_enter()
// CHECK: %[[branch:.*]] = select i1 %[[cond:.*]], i32 0, i32 1
// CHECK-NEXT: call void @lapwing_sets_split(ptr @[[site:.*]], i32 %[[branch]], i32 1, ptr @lapwing.comms{{.*}}, i32 0)
// CHECK-NEXT: br i1 %[[cond]], label %if.then, label %if.end
// CHECK: if.then:
// CHECK: call void @lapwing_sets_call(
// CHECK-NEXT: call i32 @MPI_Barrier(
// CHECK: if.end:
// CHECK-NEXT: call void @lapwing_sets_merge(
// CHECK: call void @lapwing_sets_leave(i32 %[[depth]])
// CHECK-NEXT: ret void
void one_sided(int rank) {
  // REMARK: shapes.c:[[@LINE+1]]:{{.*}} processes part 2 ways at shapes.c:[[@LINE+1]] and meet at shapes.c:[[@LINE+2]]
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  work();
}

// CHECK-LABEL: define {{.*}}@nested(
// CHECK: call void @lapwing_sets_split(
// CHECK: call void @lapwing_sets_split(
// CHECK: call i32 @MPI_Barrier(
// CHECK: call void @lapwing_sets_merge(
// CHECK: call i32 @MPI_Bcast(
// CHECK: call void @lapwing_sets_merge(
// CHECK: ret void
void nested(int rank) {
  if (rank < 4) {
    if (rank < 2) {
      MPI_Barrier(MPI_COMM_WORLD);
    } else {
      work();
    }
  } else {
    MPI_Bcast(&rank, 1, MPI_INT, 4, MPI_COMM_WORLD);
  }
}

// What only tells messages from one process to another, or computes, is no split.
// CHECK-LABEL: define {{.*}}@messages_only(
// CHECK-NOT: lapwing_sets
// CHECK: ret void
void messages_only(int rank) {
  int n = rank;
  if (rank == 0)
    MPI_Send(&n, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  else if (rank == 1)
    MPI_Recv(&n, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    abs(n);
}

// The process alone is no group.
// CHECK-LABEL: define {{.*}}@on_self(
// CHECK-NOT: lapwing_sets_split
// CHECK: ret void
void on_self(int rank) {
  if (rank == 0) MPI_Barrier(MPI_COMM_SELF);
}

// Cases that fall through meet before the switch's end, and a case without calls is a branch, too.
// CHECK-LABEL: define {{.*}}@falls_through(
// CHECK: switch i32 %{{.*}}, label %[[rest:.*]] [
// CHECK-NEXT: i32 0, label %[[zero:.*]]
// CHECK-NEXT: i32 5, label %[[zero]]
// CHECK-NEXT: i32 1, label %[[one:.*]]
// CHECK: [[zero]]:
// CHECK-NEXT: call void @lapwing_sets_split(ptr @[[site:.*]], i32 1, i32 1, ptr @lapwing.comms{{.*}}, i32 0)
// CHECK-NEXT: br label %sw.bb
// CHECK: sw.bb:
// CHECK: call i32 @MPI_Barrier(
// CHECK: [[one]]:
// CHECK-NEXT: call void @lapwing_sets_split(ptr @[[site]], i32 2, i32 1, ptr @lapwing.comms{{.*}}, i32 0)
// CHECK: call void @lapwing_sets_merge(ptr @[[inner:.*]])
// CHECK: call i32 @MPI_Bcast(
// CHECK: [[rest]]:
// CHECK-NEXT: call void @lapwing_sets_split(ptr @[[site]], i32 0, i32 1, ptr @lapwing.comms{{.*}}, i32 0)
// CHECK: call void @lapwing_sets_merge(ptr @[[outer:.*]])
void falls_through(int rank) {
  switch (rank) {
    case 0:
    case 5:
      MPI_Barrier(MPI_COMM_WORLD);
    case 1:
      MPI_Bcast(&rank, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

// A path that ends the program is none.
// CHECK-LABEL: define {{.*}}@ends(
// CHECK-NOT: lapwing_sets_split
// CHECK: ret void
static void give_up(int rank) {
  work();
  MPI_Abort(MPI_COMM_WORLD, rank);
}
void ends(int rank) {
  if (rank == 7) exit(1);
  if (rank == 8) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 9) give_up(rank);
  MPI_Barrier(MPI_COMM_WORLD);
}

// A loop that processes leave in different rounds: the set of those who stay is split off each time.
// CHECK-LABEL: define {{.*}}@rounds(
// CHECK: while.cond:
// CHECK: call void @lapwing_sets_split(
// CHECK: while.body:
// CHECK: call i32 @MPI_Allreduce(
// CHECK: while.end:
// CHECK-NEXT: call void @lapwing_sets_merge(
void rounds(int rank) {
  int sum = 0;
  while (rank > 0) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    --rank;
  }
}

// Two ways out of a loop: both meet behind it. The inner loop's exit is a split of its own.
// CHECK-LABEL: define {{.*}}@breaks(
// CHECK: for.cond:
// CHECK: call void @lapwing_sets_split(ptr @[[first:.*]], i32
// CHECK: call void @lapwing_sets_split(ptr @[[second:.*]], i32
// CHECK: do.cond:
// CHECK: call void @lapwing_sets_split(ptr @[[third:.*]], i32
// CHECK-NEXT: br i1
// CHECK: do.end:
// CHECK-NEXT: call void @lapwing_sets_merge(
// CHECK: for.end:
// CHECK: ret void
void breaks(int rank) {
  int sum = 0;
  for (int i = 0; i < rank; ++i) {
    if (sum > 3) break;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    rank += abs(i);
    do {
      MPI_Barrier(MPI_COMM_WORLD);
    } while (--sum > rank);
    work();
  }
  work();
}

// CHECK-LABEL: define {{.*}}@returns_early(
// CHECK: lapwing_sets_split(
// CHECK: call i32 @MPI_Barrier(
// CHECK: call void @lapwing_sets_merge(
// CHECK: call void @lapwing_sets_leave(
int returns_early(int rank) {
  if (rank == 3) return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

// CHECK-LABEL: define {{.*}}@jumps(
// CHECK-COUNT-2: call void @lapwing_sets_split(
// CHECK: ret void
void jumps(int rank) {
again:
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) goto out;
  if (--rank > 0) goto again;
out:
  work();
}
