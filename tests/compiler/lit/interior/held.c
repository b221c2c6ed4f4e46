// SPDX-License-Identifier: Apache-2.0
// A sparse matrix whose requests, lists and buffers hang on a structure, as std::vector has it: each loop loads the
// array's address again, asks again whether there are neighbours, and ends the program where a wait fails.
//
// RUN: %ir %s -o - | %clean | env LAPWING_PASS=interior=on %lapwing -passes='function(early-cse<memssa>,loop-mssa(loop-rotate),instcombine<no-verify-fixpoint>,gvn,simplifycfg,loop-simplify),lapwing,verify' -pass-remarks=lapwing -pass-remarks-missed=lapwing 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK <%t.remarks
#include <mpi.h>
#include <stdio.h>

struct matrix {
  int rows, neighbours;
  int *partner, *length, *start, *column, *list;
  double *value, *out;
  MPI_Request *request, *other;
};

#define START(m, x)                                                                                            \
  const int neighbours = (m)->neighbours;                                                                      \
  double *in = (x) + (m)->rows, *from = (m)->out;                                                              \
  for (int n = 0; n < neighbours; ++n) {                                                                  \
    MPI_Irecv(in, (m)->length[n], MPI_DOUBLE, (m)->partner[n], 9, MPI_COMM_WORLD, &(m)->request[n]);           \
    in += (m)->length[n];                                                                                      \
  }                                                                                                            \
  for (int i = 0; i < (m)->list[0]; ++i) (m)->out[i] = (x)[(m)->list[i + 1]];                                  \
  for (int n = 0; n < neighbours; ++n) {                                                                  \
    MPI_Send(from, (m)->length[n], MPI_DOUBLE, (m)->partner[n], 9, MPI_COMM_WORLD);                            \
    from += (m)->length[n];                                                                                    \
  }
#define END(m)                                                                                                 \
  MPI_Status status;                                                                                           \
  for (int n = 0; n < neighbours; ++n)                                                                    \
    if (MPI_Wait(&(m)->request[n], &status) != MPI_SUCCESS) {                                                  \
      fprintf(stderr, "MPI_Wait error\n");                                                                     \
      MPI_Abort(MPI_COMM_WORLD, -1);                                                                           \
    }
#define PRODUCT(m, x, y)                                                                                       \
  for (int row = 0; row < (m)->rows; ++row) {                                                                  \
    double sum = 0;                                                                                            \
    for (int k = (m)->start[row]; k < (m)->start[row + 1]; ++k) sum += (m)->value[k] * (x)[(m)->column[k]];    \
    (y)[row] = sum;                                                                                            \
  }

// CHECK-LABEL: define {{.*}}@product(
// CHECK: call i32 @lapwing_interior_is_worth(
// CHECK: call i32 @MPI_Abort(
// CHECK-NEXT: call void @lapwing_aborted()
// CHECK-NEXT: unreachable
// REMARK: held.c:[[#@LINE+4]]:{{.*}} the loop is divided: its rounds that touch nothing of MPI_Wait
void product(struct matrix* m, double* restrict x, double* restrict y) {
  START(m, x)
  END(m)
  PRODUCT(m, x, y)
}

// It waits for requests of another array, whatever these are.
// CHECK-LABEL: define {{.*}}@exchanged(
// CHECK-NOT: @lapwing_interior
// CHECK: ret void
// REMARK: held.c:[[#@LINE+4]]:{{.*}} MPI_Wait: {{.*}}its request
void exchanged(struct matrix* m, double* restrict x, double* restrict y) {
  START(m, x)
  m->request = m->other;
  END(m)
  PRODUCT(m, x, y)
}
