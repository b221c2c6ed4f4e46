// SPDX-License-Identifier: Apache-2.0
// Through which calls a branch may come to a group's call.
//
// RUN: %ir %headers %s -o - | %sets -o - 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <lapwing/sets.h>

void of_another_file(void);
double of_another_file_too(double);
static void deep(int n);
static void deeper(int n) {
  if (n > 0) deep(n - 1);
  MPI_Barrier(MPI_COMM_WORLD);
}
static void deep(int n) {
  if (n % 2) deeper(n);
}

// CHECK-LABEL: define {{.*}}@through_functions(
// CHECK: call void @lapwing_sets_split(
// CHECK: call void @deep(
void through_functions(int rank) {
  if (rank) deep(rank);
}

// CHECK-LABEL: define internal {{.*}}@deep(
// CHECK: call void @lapwing_sets_split(
// CHECK: call void @deeper(

// A function of which nothing is known may make such a call.
// CHECK-LABEL: define {{.*}}@to_another_file(
// CHECK: call void @lapwing_sets_split(
// CHECK: call void @of_another_file()
void to_another_file(int rank) {
  if (rank) of_another_file();
}

// What the languages' libraries have, and what a process asks MPI alone, does not.
// CHECK-LABEL: define {{.*}}@to_libraries(
// CHECK-NOT: lapwing_sets_split
// CHECK: ret void
void to_libraries(int rank, double* x, char* text, MPI_Request* request) {
  int flag, size;
  if (rank) {
    printf("%g\n", sqrt(x[0]));
    memcpy(x, x + 4, 32);
    free(malloc(strlen(text)));
    fflush(stdout);
    srand(3);
  }
  if (rank == 2) {
    MPI_Isend(x, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, request);
    MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
}

// PMPI passes by the runtime, and is left alone.
// CHECK-LABEL: define {{.*}}@by_pmpi(
// CHECK-NOT: lapwing_sets
// CHECK: ret void
void by_pmpi(int rank) {
  if (rank) PMPI_Barrier(MPI_COMM_WORLD);
}

// Through a pointer.
// CHECK-LABEL: define {{.*}}@through_a_pointer(
// CHECK: call void @lapwing_sets_split(
// CHECK: call void %
void through_a_pointer(int rank, void (*function)(int)) {
  if (rank) function(rank);
}

static void* thread(void* of) {
  MPI_Barrier(MPI_COMM_WORLD);
  return of;
}
static void* quiet(void* of) { return of; }
// CHECK-LABEL: define {{.*}}@called_back(
// CHECK-COUNT-1: call void @lapwing_sets_split(
// CHECK-NOT: lapwing_sets_split
// CHECK: ret void
void called_back(int rank, pthread_t* id) {
  if (rank == 1) pthread_create(id, 0, quiet, id);
  if (rank == 2) pthread_create(id, 0, thread, id);
}

// A question for the current set waits for the votes as a collective does.
// CHECK-LABEL: define {{.*}}@asks(
// CHECK: call void @lapwing_sets_split(
// CHECK: call i32 @lapwing_set_size(
int asks(int rank) {
  if (rank) return lapwing_set_size(MPI_COMM_WORLD);
  return 0;
}

// Each way of a call.
// CHECK-LABEL: define {{.*}}@ways(
// CHECK-COUNT-8: call void @lapwing_sets_call(
// CHECK-NOT: lapwing_sets_call
// CHECK: ret void
void ways(MPI_Comm* comm, MPI_Request* r, MPI_File* file, MPI_Win win, double* x) {
  MPI_Ibcast(x, 1, MPI_DOUBLE, 0, *comm, r);
  MPI_Iallreduce(x, x + 1, 1, MPI_DOUBLE, MPI_SUM, *comm, r);
  MPI_Comm_dup(*comm, comm + 1);
  MPI_Comm_free(comm + 1);
  MPI_Win_fence(0, win);
  MPI_File_open(*comm, "x", 0, MPI_INFO_NULL, file);
  MPI_File_iread_at_all(*file, 0, x, 1, MPI_DOUBLE, r);
  MPI_File_write_all_begin(*file, x, 1, MPI_DOUBLE);
  MPI_Wait(r, MPI_STATUS_IGNORE);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_File_read(*file, x, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
}

// The mode is said once, before main.
// CHECK: define internal void @lapwing.sets.mode()
// CHECK-NEXT: call void @lapwing_sets_declare_mode(i32 2)
// REMARK-COUNT-7: processes part 2 ways
// REMARK-NOT: processes part
