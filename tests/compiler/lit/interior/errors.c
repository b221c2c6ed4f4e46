// SPDX-License-Identifier: Apache-2.0
// Waits whose error sends the program elsewhere: the rounds run early where such an error would end the job. And waits
// that are the last part of one of several ways to the loop.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(loop-mssa(loop-rotate)),lapwing,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
#include <mpi.h>
#include <stdlib.h>

typedef struct {
  long rows, count;
  double* value;
  int *start, *column, *peer;
} Matrix;
void complain(const char*);

// The end of the loop over the waits is met where none has failed.
void checked(const Matrix* m, double* restrict x, double* restrict y, long rows, int count) {
  MPI_Request* requests = malloc((unsigned long)count * sizeof *requests);
  for (int k = 0; k < count; ++k) MPI_Irecv(x + rows + k, 1, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < count; ++k) {
    if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) {
      complain("a wait");
      exit(1);
    }
  }
  free(requests);
  for (long i = 0; i < rows; ++i) y[i] = x[i] + x[i + 1];
}
// CHECK-LABEL: define {{.*}}@checked(
// CHECK: [[MAY:%.*]] = call i32 @lapwing_may_sink(
// CHECK: [[ASKED:%.*]] = icmp ne i32 [[MAY]], 0
// CHECK: call i32 @lapwing_interior_is_worth(
// CHECK: br i1 {{.*}}, label %lapwing.ask, label %
// CHECK: lapwing.ask:
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: phi i64 [ {{.*}}, %lapwing.ask ], [ 0, %{{.*}} ]
// CHECK: br i1 {{.*}}, label %lapwing.interior,
// CHECK: call i32 @MPI_Wait(
// CHECK: call void @complain(
// CHECK: call void @free(
// CHECK: lapwing.first:
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Wait at errors.c:[[#@LINE-21]] run before the others

// Where the program goes on behind an error, others may see it.
void goes_on(double* restrict x, double* restrict y, long rows) {
  MPI_Request requests[2];
  for (int k = 0; k < 2; ++k) MPI_Irecv(x + rows + k, 1, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 2; ++k)
    if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) complain("a wait");
  for (long i = 0; i < rows; ++i) y[i] = x[i] + x[i + 1];
}
// CHECK-LABEL: define {{.*}}@goes_on(
// CHECK-NOT: lapwing_interior
// CHECK: ret void

// An error that is handed on is none that sends the program elsewhere: the wait stays where it gives it.
int handed_on(double* restrict x, double* restrict y, long rows, int low) {
  MPI_Request request;
  int error = 0;
  MPI_Irecv(x + rows, 1, MPI_DOUBLE, low, 0, MPI_COMM_WORLD, &request);
  if (low >= 0) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (long i = 0; i < rows; ++i) y[i] = x[i] + x[i + 1];
  return error;
}
// CHECK-LABEL: define {{.*}}@handed_on(
// CHECK: ret i32

// The sends and the waits are under one question; the rounds may pass the waits alone. The matrix was used before and
// behind what is loaded of it early.
void joined(const Matrix* m, double* restrict x, double* restrict y) {
  const long count = m->rows - m->count;
  int *column = m->column, *peer = m->peer;
  MPI_Request requests[8];
  for (long k = 0; k < count; ++k) MPI_Irecv(x + m->rows + k, 1, MPI_DOUBLE, peer[k], 0, MPI_COMM_WORLD, &requests[k]);
  if (count > 0) {
    const long behind = count - 1;
    long k = 0;
    do MPI_Send(x + column[k], 1, MPI_DOUBLE, peer[k], 0, MPI_COMM_WORLD);
    while (k++ < behind);
    k = 0;
    do if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) exit(1);
    while (k++ < behind);
  }
  const long rows = m->rows;
  const double* value = m->value;
  const int* start = m->start;
  for (long i = 0; i < rows; ++i) {
    double sum = 0;
    for (int k = start[i]; k < start[i + 1]; ++k) sum += value[k] * x[column[k]];
    y[i] = sum;
  }
}
// CHECK-LABEL: define {{.*}}@joined(
// CHECK: [[GOES_ON:%lapwing.goes_on[0-9]*]] = phi i1 [ false, {{.*}} ], [ true, {{.*}} ]
// CHECK: load ptr, ptr %value
// CHECK: call i32 @lapwing_may_sink(
// CHECK: call { i64, i64 } @lapwing_interior_end()
// CHECK: call void @lapwing_interior_open(
// CHECK: br i1 [[GOES_ON]], label
// CHECK: lapwing.aside:
// CHECK: call { i64, i64 } @lapwing_interior_left(
// REMARK: the loop is divided: its rounds that touch nothing of MPI_Wait at errors.c:[[#@LINE-21]], MPI_Send at {{.*}} run before the others

// Nothing says that there is a matrix where a wait has failed.
void not_used(const Matrix* m, double* restrict x, double* restrict y, long count) {
  MPI_Request requests[2];
  for (int k = 0; k < 2; ++k) MPI_Irecv(x + count + k, 1, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 2; ++k)
    if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) exit(1);
  const long rows = m->rows;
  for (long i = 0; i < rows; ++i) y[i] = x[i] + x[i + 1];
}
// CHECK-LABEL: define {{.*}}@not_used(
// CHECK-NOT: lapwing_interior
// CHECK: ret void
// REMARK: what needs MPI_Wait at errors.c:[[#@LINE-7]] and what does not: it is not known how often the loop runs

// Nor that it is still there.
void not_kept(const Matrix* m, double* restrict x, double* restrict y, long count) {
  MPI_Request requests[2];
  x[0] = (double)m->rows;
  complain("may free it");
  for (int k = 0; k < 2; ++k) MPI_Irecv(x + count + k, 1, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 2; ++k)
    if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) exit(1);
  const long rows = m->rows;
  for (long i = 0; i < rows; ++i) y[i] = x[i] + x[i + 1];
}
// CHECK-LABEL: define {{.*}}@not_kept(
// CHECK-NOT: lapwing_interior
// CHECK: ret void
// REMARK: what needs MPI_Wait at errors.c:[[#@LINE-7]] and what does not: it is not known how often the loop runs

// A part of it that lies behind all that was used may not exist.
void not_far(const Matrix* m, double* restrict x, double* restrict y) {
  MPI_Request requests[2];
  const long count = m->count;
  for (int k = 0; k < 2; ++k) MPI_Irecv(x + count + k, 1, MPI_DOUBLE, k, 0, MPI_COMM_WORLD, &requests[k]);
  for (int k = 0; k < 2; ++k)
    if (MPI_Wait(&requests[k], MPI_STATUS_IGNORE) != MPI_SUCCESS) exit(1);
  const double* value = m->value;
  for (long i = 0; i < count; ++i) y[i] = value[i] * x[i + 1];
}
// CHECK-LABEL: define {{.*}}@not_far(
// CHECK-NOT: lapwing_interior
// CHECK: ret void
