// SPDX-License-Identifier: Apache-2.0
// A start that rises to where the function begins stays behind its arrays: behind the parting of ways they
// would be dynamic ones.
// RUN: %ir %s -o - | %clean | opt -S -passes=instcombine | %lapwing -passes=lapwing | FileCheck %s
#include <mpi.h>

enum { many = 65536 };
double other[many], in[many];

// CHECK-LABEL: define {{.*}} @both(
// CHECK-NOT: lapwing
// CHECK: alloca [65536 x double]
// CHECK: call i32 @lapwing_may_split(
// CHECK: call ptr @lapwing_post_recv(
double both(int to) {
  int n = many;
  double s = 0;
  {
    double v[n];
    for (int i = 0; i < many; ++i) v[i] = i;
    MPI_Send(v, many, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    if (MPI_Recv(in, many, MPI_DOUBLE, to, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) s += 1;
  }
  for (int i = 0; i < many; ++i) s += other[i];
  return s;
}
