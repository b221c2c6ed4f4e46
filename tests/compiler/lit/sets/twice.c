// SPDX-License-Identifier: Apache-2.0
// What has been done is not done again, and at any level of optimisation once.
//
// RUN: %ir %s -o %t.ll
// RUN: %lapwing -passes='lapwing-sets<run>' %t.ll > %t.once
// RUN: %lapwing -passes='lapwing-sets<run>,lapwing-sets<run>' %t.ll > %t.twice
// RUN: diff %t.once %t.twice
// RUN: %lapwing -passes='lapwing-sets<off>' %t.ll | FileCheck %s --check-prefix=OFF
// RUN: env LAPWING_PASS=sets=check,sink=off %clang_lapwing -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: env LAPWING_PASS=sets=check,sink=off %clang_lapwing -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: env LAPWING_PASS=sets=check,sink=off,prelink %clang_lapwing -flto -S -emit-llvm %s -o - | FileCheck %s
// RUN: env LAPWING_PASS=sets=check,sink=off %clang_lapwing -flto=thin -S -emit-llvm %s -o - | FileCheck %s
// RUN: env LAPWING_PASS=sets=chek %clang_lapwing -S -emit-llvm %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WRONG
#include <mpi.h>

static double a[20000], work[20000];

// OFF-NOT: lapwing_sets
// WRONG: sets=chek is none of off, check, run
// CHECK: call void @lapwing_sets_split(
// CHECK-NOT: lapwing_sets_split(ptr
// CHECK: call void @lapwing_sets_call(
// CHECK-NEXT: call i32 @MPI_Bcast(
// CHECK: call i32 @MPI_Recv(
// CHECK: call void @lapwing_sets_declare_mode(i32 1)
double both(int rank) {
  if (rank > 2) MPI_Bcast(a, 1, MPI_DOUBLE, 3, MPI_COMM_WORLD);
  MPI_Recv(a, 20000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1;
  return a[3];
}
