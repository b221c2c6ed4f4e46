/* SPDX-License-Identifier: Apache-2.0 */
/* Plain MPI programs that do what programs do when things go wrong, one case for each name
   given as the first argument. They know nothing of Lapwing. */
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { kBytes = 3 * 1024 * 1024 + 123, kRounds = 12 };

static int rank, size;
static unsigned char *in, *out;

static void fill(unsigned char* at, size_t bytes, unsigned key) {
  for (size_t i = 0; i < bytes; ++i) at[i] = (unsigned char)(key * 31 + i * 7 + (i >> 9));
}

static unsigned long sum_of(const unsigned char* at, size_t bytes) {
  unsigned long sum = 1469598103934665603UL;
  for (size_t i = 0; i < bytes; ++i) sum = (sum ^ at[i]) * 1099511628211UL;
  return sum;
}

/* Rounds of a ring: each rank passes a block on and looks at what came. */
static unsigned long ring(int rounds) {
  unsigned long sum = 0;
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (int round = 0; round < rounds; ++round) {
    fill(out, kBytes, (unsigned)(round * 100 + rank));
    if (rank % 2 == 0) {
      MPI_Send(out, kBytes, MPI_BYTE, right, 1, MPI_COMM_WORLD);
      MPI_Recv(in, kBytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(in, kBytes, MPI_BYTE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out, kBytes, MPI_BYTE, right, 1, MPI_COMM_WORLD);
    }
    sum = sum * 31 + sum_of(in, kBytes);
  }
  return sum;
}

static void say_sum(const char* what, unsigned long sum) {
  unsigned long all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG, MPI_BXOR, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %d ranks, checksum %lx\n", what, size, all);
}

static void exchange(void) { say_sum("exchange", ring(kRounds)); }

/* A receive shorter than its message: MPI's error class, and then everything as before. */
static void truncated(void) {
  static const int rooms[] = {0, 1, 5000, 8267, 100000, kBytes - 1};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 0; i < 6; ++i) {
    if (rank == 0) {
      fill(out, kBytes, (unsigned)i);
      MPI_Send(out, kBytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Status status;
      int class = -1;
      int result = MPI_Recv(in, rooms[i], MPI_BYTE, 0, 5, MPI_COMM_WORLD, &status);
      MPI_Error_class(result, &class);
      printf("room for %d: %s, from %d, tag %d\n", rooms[i],
             class == MPI_ERR_TRUNCATE ? "truncated" : "no such error", status.MPI_SOURCE, status.MPI_TAG);
    }
  }
  unsigned long sum = ring(2);
  printf("rank %d then: checksum %lx\n", rank, sum);
}

/* One rank is killed while bytes travel to or from it; the other would wait for ever. */
static void killed(int victim) {
  for (int round = 0;; ++round) {
    if (rank == 0) {
      fill(out, kBytes, (unsigned)round);
      MPI_Send(out, kBytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      if (round == 3 && victim == 0) kill(getpid(), SIGKILL);
    } else if (rank == 1) {
      MPI_Recv(in, kBytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (round == 3 && victim == 1) kill(getpid(), SIGKILL);
      if (sum_of(in, kBytes) == 42) puts("never");
    }
  }
}

static sigjmp_buf back;
static volatile unsigned long handled_at;
static volatile int handled_signal;

static void handler(int number, siginfo_t* info, void* context) {
  (void)context;
  handled_signal = number;
  handled_at = (unsigned long)info->si_addr;
  siglongjmp(back, 1);
}

static void simple_handler(int number) {
  handled_signal = number;
  siglongjmp(back, 1);
}

static int faults_at(volatile char* address) {
  handled_signal = 0;
  handled_at = 0;
  if (sigsetjmp(back, 1) == 0) *address = 1;
  return handled_signal;
}

/* The program's own handlers see the program's own faults, with their addresses, also while
   messages come and go: installed before and after them, by sigaction and by signal. */
static void handlers(void) {
  char* closed = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action, old;
  unsigned long sum = ring(2);
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, NULL);
  for (int i = 0; i < 4; ++i) {
    int seen = faults_at(closed + 4096 * i + 5);
    if (rank == 0)
      printf("fault %d: signal %d, offset %ld\n", i, seen, (long)(handled_at - (unsigned long)closed));
    sum = sum * 7 + ring(1);
  }
  sigaction(SIGSEGV, NULL, &old);
  if (rank == 0) printf("the handler is %s\n", old.sa_sigaction == handler ? "its own" : "another");
  signal(SIGSEGV, simple_handler);
  if (rank == 0) printf("by signal(): %d\n", faults_at(closed + 100));
  sum = sum * 7 + ring(2);
  say_sum("handlers", sum);
}

/* A fault that nobody handles ends the program as ever. */
static void crash(void) {
  ring(2);
  if (rank == 1) *(volatile int*)16 = 1;
  ring(1000);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "exchange";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in = malloc(kBytes);
  out = malloc(kBytes);
  if (strcmp(name, "exchange") == 0)
    exchange();
  else if (strcmp(name, "truncated") == 0)
    truncated();
  else if (strcmp(name, "kill-sender") == 0)
    killed(0);
  else if (strcmp(name, "kill-receiver") == 0)
    killed(1);
  else if (strcmp(name, "handlers") == 0)
    handlers();
  else if (strcmp(name, "crash") == 0)
    crash();
  else
    fprintf(stderr, "cases: no case %s\n", name);
  free(in);
  free(out);
  MPI_Finalize();
  return 0;
}
