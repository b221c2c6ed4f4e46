// SPDX-License-Identifier: Apache-2.0
// What no wait may cross: each function has one blocking send, work that could
// hide it, and one thing in between. The wait stands above that thing, and the
// remark names it.
//
// RUN: %ir %s -o - | %clean | %lapwing -passes=lapwing -pass-remarks=lapwing -pass-remarks-missed=lapwing -disable-output 2>&1 | FileCheck %s
#include <mpi.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static double out[20000], in[20000], work[20000];
static struct timeval times[2000];
static volatile int flag;
static atomic_int shared;
static jmp_buf place;
void unknown(void);
void (*callback)(void);

#define WORK \
  for (int i = 0; i < 20000; ++i) work[i] = work[i] * 0.5 + 1
#define SEND MPI_Send(out, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD)
#define RECV MPI_Recv(in, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)

// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (a volatile access
void crosses_volatile(void) {
  SEND;
  WORK;
  flag = 1;
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (an atomic access
void crosses_atomic(void) {
  SEND;
  WORK;
  atomic_store_explicit(&shared, 1, memory_order_relaxed);
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (an atomic access or a fence
void crosses_fence(void) {
  SEND;
  WORK;
  atomic_thread_fence(memory_order_seq_cst);
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (inline assembly
void crosses_assembly(void) {
  SEND;
  WORK;
  __asm__ volatile("" ::: "memory");
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+3]] is split: its wait stands at {{.*}} (a call of a function that is
// not known
void crosses_unknown(void) {
  SEND;
  WORK;
  unknown();
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (a call through a pointer
void crosses_callback(void) {
  SEND;
  WORK;
  callback();
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+3]] is split: its wait stands at {{.*}} (a call of a function that is
// not known
void crosses_output(void) {
  SEND;
  WORK;
  puts("here");
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (a collective call
void crosses_barrier(void) {
  SEND;
  WORK;
  MPI_Barrier(MPI_COMM_WORLD);
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+3]] is split: its wait stands at {{.*}} (an MPI call that may do
// anything
void crosses_window(MPI_Win w) {
  SEND;
  WORK;
  MPI_Win_fence(0, w);
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (a write to `out`
void writes(void) {
  SEND;
  WORK;
  out[7] = 1;
  WORK;
}
// A send is only read.
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (the end of the function
double reads(void) {
  SEND;
  WORK;
  return out[7];
}
// Questions about a datatype or a status, with small and large counts, stop nothing.
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (the end of the function
MPI_Count asks(MPI_Datatype t, MPI_Status* s) {
  SEND;
  WORK;
  MPI_Count size, lb, extent, true_lb, true_extent, elements;
  MPI_Aint low, width;
  MPI_Type_size_x(t, &size);
  MPI_Type_get_extent_x(t, &lb, &extent);
  MPI_Type_get_true_extent(t, &low, &width);
  MPI_Type_get_true_extent_x(t, &true_lb, &true_extent);
  MPI_Get_elements_x(s, t, &elements);
  WORK;
  return size + lb + extent + low + width + true_lb + true_extent + elements;
}
// Nor do clocks, as MPI_Wtime does not; they write what their arguments point to.
// CHECK: MPI_Send at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (the end of the function
double measures(void) {
  SEND;
  WORK;
  struct timeval now;
  struct timespec then;
  gettimeofday(&now, NULL);
  clock_gettime(CLOCK_MONOTONIC, &then);
  WORK;
  return now.tv_sec - then.tv_sec + (double)clock() + MPI_Wtime();
}
// CHECK: MPI_Send at stops.c:[[#@LINE+3]] is split: its wait stands at {{.*}} (a call that may write to
// `times`
void measures_into_buffer(void) {
  MPI_Send(times, sizeof times, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
  WORK;
  gettimeofday(&times[7], NULL);
  WORK;
}
// A clock is no work that could hide a message.
// CHECK: MPI_Send: stopped at {{.*}} the end of the function
double only_measures(void) {
  SEND;
  struct timespec then;
  clock_gettime(CLOCK_MONOTONIC, &then);
  return then.tv_sec + (double)clock();
}
// CHECK: MPI_Recv at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (a read of `in`
double reads_received(void) {
  RECV;
  WORK;
  return in[7];
}
// CHECK: MPI_Recv at stops.c:[[#@LINE+2]] is split: its wait stands at {{.*}} (a write to `in`
void writes_received(void) {
  RECV;
  WORK;
  in[7] = 1;
  WORK;
}
// CHECK: MPI_Send at stops.c:[[#@LINE+5]] is split: its wait stands at {{.*}} (a call that may write to
// `b`
void frees(void) {
  double* b = malloc(20000 * sizeof *b);
  for (int i = 0; i < 20000; ++i) b[i] = work[i];
  MPI_Send(b, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  WORK;
  free(b);
  WORK;
}
// CHECK: MPI_Send: {{.*}}the function calls setjmp
void jumps(void) {
  if (setjmp(place)) return;
  SEND;
  WORK;
}
// Its handler would decide what an error of the wait does.
// CHECK: MPI_Send at stops.c:[[#@LINE+3]] is split: its wait stands at {{.*}} (an MPI call that may do
// anything
void crosses_handler(void) {
  SEND;
  WORK;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  WORK;
}
// CHECK: MPI_Bsend: {{.*}}is over when it returns
void buffered(void) {
  MPI_Bsend(out, 20000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
  WORK;
}
// CHECK: MPI_Send: {{.*}}no object that could be followed
void bottom(MPI_Datatype t) {
  MPI_Send(MPI_BOTTOM, 1, t, 1, 0, MPI_COMM_WORLD);
  WORK;
}
