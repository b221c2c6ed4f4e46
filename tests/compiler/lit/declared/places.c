// SPDX-License-Identifier: Apache-2.0
// Where `--declared` puts uses and defines: before what may read or write, once
// before a loop that only computes, and nowhere that nothing can be pending.
//
// RUN: %ir %headers %s -o - | %clean -o - | %declared -o %t.ll 2> %t.remarks
// RUN: FileCheck %s < %t.ll
// RUN: FileCheck %s --check-prefix=SAYS < %t.remarks
// RUN: %openmpi_ir %headers %s -o - | %clean -o - | %declared -o - 2> /dev/null | FileCheck %s
#include <lapwing/declare.h>
#include <stdio.h>
#include <stdlib.h>

double halo[100];
void of_another_file(void);

// A loop that only computes: one use, before it, of all that it reads.
// CHECK-LABEL: define {{.*}}@loop(
// CHECK: call void @lapwing_declared_note(ptr %{{.*}}, ptr @halo, i32 100, {{i32|ptr}}
// CHECK-NEXT: call void @lapwing_declare_recv(
// CHECK: call i32 (ptr, ...) @printf(
// CHECK: call void @lapwing_use(ptr @halo, i64 800)
// CHECK: for.body:
// CHECK-NOT: call void @lapwing{{.*}}_{{use|define}}
// CHECK: for.end:
// CHECK-NEXT: call void @lapwing_declared_define(
// CHECK: ret double
// SAYS: `halo`, declared at places.c:[[#@LINE+3]]: a use at places.c:{{.*}}, before code that may read it at places.c:[[#@LINE+7]]
double loop(void) {
  double sum = 0;
  lapwing_declare_recv(halo, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  printf("declared\n");
  for (int i = 0; i < 100; ++i)
    sum +=
        halo[i];
  return sum;
}

// Of a part only: what has nothing to do with the declaration is not waited for. Two
// variables of which nobody knows whether they are one are told apart at run time.
// CHECK-LABEL: define {{.*}}@parts(
// CHECK: call void @lapwing_declare_recv(
// CHECK: getelementptr {{.*}}ptr %grid, i64 80
// CHECK: call void @lapwing_define(ptr %{{.*}}, i64
// CHECK-NOT: call void @lapwing_declared_{{use|define}}
// CHECK: call void @lapwing_declare_send(
void parts(double* grid, const double* old, int n) {
  lapwing_declare_recv(grid, 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  for (int i = 10; i < n; ++i) grid[i] = old[i] / 2;
  lapwing_declare_send(grid + 10, 10, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

// By an index that is read: before the loop for the whole buffer.
// CHECK-LABEL: define {{.*}}@indices(
// CHECK: call void @lapwing_declared_use(
// CHECK: for.body:
// CHECK-NOT: call void @lapwing{{.*}}_{{use|define}}
// CHECK: ret double
double indices(const int* index, int n) {
  double sum = 0;
  lapwing_declare_recv(halo, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) sum += halo[index[i]];
  return sum;
}

// What is sent may be read at once; before it is written it has a define.
// CHECK-LABEL: define {{.*}}@sent(
// CHECK: call void @lapwing_declare_send(
// CHECK-NOT: call void @lapwing{{.*}}_{{use|define}}
// CHECK: load double, ptr @halo
// CHECK: call void @lapwing_define(ptr {{.*}}, i64 8)
// CHECK-NEXT: store double {{.*}}, ptr
void sent(double value) {
  lapwing_declare_send(halo, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  if (halo[0] > 0) printf("positive\n");
  halo[1] = value;
}

// Anybody's code may touch a global variable.
// CHECK-LABEL: define {{.*}}@unknown(
// CHECK: call void @lapwing_declared_define(
// CHECK-NEXT: call void @of_another_file()
// CHECK-NOT: call void @lapwing{{.*}}_{{use|define}}
// CHECK: ret void
// SAYS: `halo`, declared at places.c:[[#@LINE+2]]: waits at places.c:[[#@LINE+3]] for all of it, before a call that may write it
void unknown(void) {
  lapwing_declare_recv(halo, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  of_another_file();
}

// But no array of this function's own that only declarations know.
// CHECK-LABEL: define {{.*}}@own(
// CHECK: call void @lapwing_declare_recv(
// CHECK-NOT: call void @lapwing{{.*}}_{{use|define}}
// CHECK: call void @of_another_file()
// CHECK: call void @lapwing_use(ptr {{.*}}, i64 8)
// CHECK: load double
// CHECK: call void @lapwing_declared_define(
// CHECK: call void @free(
double own(void) {
  double* mine = malloc(100 * sizeof(double));
  lapwing_declare_recv(mine, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  lapwing_declare_send(mine, 100, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  of_another_file();
  const double first = mine[0];
  free(mine);
  return first;
}

// MPI's calls touch what they are given.
// CHECK-LABEL: define {{.*}}@mpi(
// CHECK: call i32 @MPI_Barrier(
// CHECK: call void @lapwing_use(ptr @halo, i64 800)
// CHECK-NEXT: call i32 @MPI_Send(
void mpi(void) {
  lapwing_declare_recv(halo, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(halo, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
}

// On one way only: the wait stands where the ways have met.
// CHECK-LABEL: define {{.*}}@ways(
// CHECK: if.end:
// CHECK: call void @lapwing_use(ptr @halo, i64 8)
// CHECK-NEXT: load double
double ways(int some) {
  if (some) lapwing_declare_recv(halo, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  return halo[0];
}

// Nothing is pending after lapwing_complete, nor where nothing was declared.
// CHECK-LABEL: define {{.*}}@completed(
// CHECK: call void @lapwing_complete()
// CHECK-NOT: call void @lapwing{{.*}}_{{use|define}}
// CHECK: ret double
double completed(void) {
  lapwing_declare_recv(halo, 100, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  lapwing_complete();
  return halo[0];
}

// CHECK-LABEL: define {{.*}}@untouched(
// CHECK-NOT: lapwing
// CHECK: ret double
double untouched(void) { return halo[0]; }

// The caller does not know what is pending.
// CHECK-LABEL: define {{.*}}@returns(
// CHECK: call void @lapwing_declared_define(
// CHECK-NEXT: ret void
// SAYS: `halo`, declared at places.c:[[#@LINE+1]], may be pending where the function returns: it waits there
void returns(void) { lapwing_declare_send(halo, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); }
// REQUIRES: openmpi
