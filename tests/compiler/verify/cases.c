/* SPDX-License-Identifier: Apache-2.0
 *
 * Each case is a right program in which the pass moves a wait, and becomes a wrong
 * one by the mistake that a test plants in the pass. The line that is then reached
 * too early has its case's name in a comment.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 400000, FEW = 100 };
static int a[N], b[N], c[N];
static int few[FEW];
static double work[4096];
static volatile int rounds = 4;

/* What a wait crosses. */
static inline __attribute__((always_inline)) void compute(void) {
  for (int i = 1; i < 4096; ++i) work[i] = work[i - 1] * 0.5 + i;
}

static void late(void) { usleep(200000); }

static __attribute__((noinline)) long total(const int* of) {
  long sum = 0;
  for (int i = 0; i < N; ++i) sum += of[i]; /* calls */
  return sum;
}

static void fill(int* what, int by) {
  for (int i = 0; i < N; ++i) what[i] = i % by;
}

#if defined(CASE_writes)
static void sender(void) {
  fill(a, 7);
  MPI_Send(a, N, MPI_INT, 1, 1, MPI_COMM_WORLD);
  for (int i = 0; i < N; ++i) a[i] = -i; /* writes */
}
static void receiver(void) {
  late();
  MPI_Recv(b, N, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%ld\n", total(b));
}
#elif defined(CASE_few)
static void sender(void) {
  for (int i = 0; i < FEW; ++i) few[i] = i;
  MPI_Send(few, FEW, MPI_INT, 1, 1, MPI_COMM_WORLD);
  compute();
  few[50] = -1; /* few */
}
static void receiver(void) {
  late();
  MPI_Recv(few, FEW, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%d\n", few[50]);
}
#elif defined(CASE_twins)
/* MPI may give both requests one handle, as these sends are over when they return. */
static int twin[FEW];
static void sender(void) {
  MPI_Request one, two;
  for (int i = 0; i < FEW; ++i) few[i] = twin[i] = i;
  MPI_Isend(few, FEW, MPI_INT, 1, 1, MPI_COMM_WORLD, &one);
  MPI_Isend(twin, FEW, MPI_INT, 1, 2, MPI_COMM_WORLD, &two);
  MPI_Wait(&two, MPI_STATUS_IGNORE);
  compute();
  twin[50] = (int)work[9];
  MPI_Wait(&one, MPI_STATUS_IGNORE);
  compute();
  twin[50] = -1;
  few[50] = -1;
}
static void receiver(void) {
  MPI_Recv(few, FEW, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(twin, FEW, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%d %d\n", few[50], twin[50]);
}
#elif defined(CASE_climb)
static void sender(void) {
  late();
  for (int k = 0; k < 300; ++k)
    for (int i = 0; i < N; ++i) a[i] = (i + k) % 7; /* climb */
  MPI_Send(a, N, MPI_INT, 1, 1, MPI_COMM_WORLD);
}
static void receiver(void) {
  MPI_Recv(b, N, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%ld\n", total(b));
}
#elif defined(CASE_exchanged)
static void sender(void) {
  const int rounds_now = rounds;
  for (int round = 0; round < rounds_now; ++round) {
    fill(a, round + 2);
    late();
    MPI_Send(a, N, MPI_INT, 1, 1, MPI_COMM_WORLD);
  }
}
static void receiver(void) {
  const int rounds_now = rounds;
  int *now = b, *last = c;
  long sum = 0;
  for (int round = 0; round < rounds_now; ++round) {
    for (int i = 0; i < N; ++i) sum += (round + 1) * last[i]; /* exchanged */
    MPI_Recv(now, N, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int* other = now;
    now = last;
    last = other;
  }
  printf("%ld\n", sum);
}
#elif defined(CASE_place)
static void sender(void) {
  const int rounds_now = rounds;
  for (int round = 0; round < rounds_now; ++round) {
    fill(a, round + 2);
    late();
    MPI_Send(a, N, MPI_INT, 1, 1, MPI_COMM_WORLD);
  }
}
static void receiver(void) {
  const int rounds_now = rounds;
  long sum = 0;
  for (int round = 0; round < rounds_now; ++round) {
    MPI_Recv(b, N, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    compute();
    if (work[round] > 1.2) {
      for (int i = 0; i < N; ++i) sum += b[i]; /* place */
    } else {
      for (int i = 0; i < N; ++i) sum += 3 * b[i] ^ sum; /* place */
    }
  }
  printf("%ld\n", sum);
}
#else
static void sender(void) {
  fill(a, 7);
  late();
  MPI_Send(a, N, MPI_INT, 1, 5, MPI_COMM_WORLD);
}
static void receiver(void) {
  long sum = 0;
  MPI_Status status;
  MPI_Request request;
  memset(&status, 0, sizeof status);
#if defined(CASE_requests)
  MPI_Irecv(b, N, MPI_INT, 0, 5, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#elif defined(CASE_status)
  MPI_Recv(b, N, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
#else
  MPI_Recv(b, N, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  (void)request;
  compute();
#if defined(CASE_reads) || defined(CASE_aliases) || defined(CASE_requests)
  for (int i = 0; i < N; ++i) sum += b[i]; /* reads aliases requests */
#elif defined(CASE_overwrites)
  for (int i = 0; i < N; ++i) b[i] = 2 * i; /* overwrites */
  sum = total(b);
#elif defined(CASE_blocks)
  memcpy(c, b, sizeof c); /* blocks */
  sum = total(c);
#elif defined(CASE_calls)
  sum = total(b);
#elif defined(CASE_sizes)
  sum = b[N - 5000]; /* sizes */
#elif defined(CASE_status)
  work[5] = status.MPI_TAG;
  sum = (long)work[5];
#endif
  printf("%ld %g\n", sum, work[4095]);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) sender();
  if (rank == 1) receiver();
  MPI_Finalize();
  return 0;
}
