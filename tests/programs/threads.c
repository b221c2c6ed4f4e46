/* SPDX-License-Identifier: Apache-2.0 */
/* A message is received by one thread and written to a file by another that Lapwing has not
   seen begin: one that is older than MPI_Init, one that is and blocks all signals, and those
   that libc makes. Knows nothing of Lapwing. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { kBytes = 4 << 20, kRounds = 3 };

static unsigned char* in;
static FILE* file;
static long result;
static unsigned long touched;
static sem_t go, done;
static int stop;

static void put(void) {
  result = 0;
  while (result < kBytes) {
    ssize_t n = write(fileno(file), in + result, (size_t)(kBytes - result));
    if (n < 0) {
      result = -errno;
      break;
    }
    result += n;
  }
}

static void put_by_stdio(void) {
  result = (long)fwrite(in, 1, kBytes, file);
  if (fflush(file) != 0) result = -errno;
}

static void look(void) {
  touched = 0;
  for (long i = 0; i < kBytes; i += 512) touched += in[i];
  put();
}

static void (*work)(void) = put;

static void* wait_and_work(void* none) {
  for (sem_wait(&go); !stop; sem_wait(&go)) {
    work();
    sem_post(&done);
  }
  return none;
}

static int work_once(void* none) {
  (void)none;
  work();
  sem_post(&done);
  return 0;
}

static void notified(union sigval none) {
  (void)none;
  work();
  sem_post(&done);
}

static void by_older_thread(void) {
  sem_post(&go);
  sem_wait(&done);
}

static void by_c11_thread(void) {
  thrd_t thread;
  thrd_create(&thread, work_once, NULL);
  sem_wait(&done);
  thrd_join(thread, NULL);
}

static void by_timer(void) {
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = notified};
  struct itimerspec soon = {{0, 0}, {0, 1000}};
  timer_t timer;
  timer_create(CLOCK_MONOTONIC, &event, &timer);
  timer_settime(timer, 0, &soon, NULL);
  sem_wait(&done);
  timer_delete(timer);
}

static void by_aio(void) {
  struct aiocb request = {.aio_fildes = fileno(file), .aio_buf = in, .aio_nbytes = kBytes};
  const struct aiocb* const list[] = {&request};
  struct aiocb* const requests[] = {&request};
  request.aio_lio_opcode = LIO_WRITE;
  if (work == look) {
    lio_listio(LIO_NOWAIT, requests, 1, NULL);
  } else {
    aio_write(&request);
  }
  while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  const int error = aio_error(&request);
  result = aio_return(&request);
  if (error) result = -error;
}

static unsigned long sum_of_file(void) {
  unsigned char* back = calloc(1, kBytes);
  unsigned long sum = 1469598103934665603UL;
  size_t n = 0;
  rewind(file);
  n = fread(back, 1, kBytes, file);
  for (size_t i = 0; i < n; ++i) sum = (sum ^ back[i]) * 1099511628211UL;
  free(back);
  return sum;
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "older";
  void (*act)(void) = by_older_thread;
  pthread_t older;
  sigset_t all, before;
  int rank, size, level;
  if (strcmp(how, "c11") == 0) act = by_c11_thread;
  if (strcmp(how, "timer") == 0) act = by_timer;
  if (strcmp(how, "aio") == 0 || strcmp(how, "list") == 0) act = by_aio;
  if (strcmp(how, "stdio") == 0) work = put_by_stdio;
  if (strcmp(how, "blocked") == 0 || strcmp(how, "list") == 0) work = look;

  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  sigfillset(&all);
  if (work == look) pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_create(&older, NULL, wait_and_work, NULL);
  if (work == look) pthread_sigmask(SIG_SETMASK, &before, NULL);

  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  in = calloc(1, kBytes);
  unsigned char* out = malloc(kBytes);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Request sent;
    file = tmpfile();
    setvbuf(file, NULL, _IOFBF, 4096);
    for (size_t i = 0; i < kBytes; ++i)
      out[i] = (unsigned char)(i * 7 + (i >> 9) + (size_t)(round * 5 + rank));
    MPI_Isend(out, kBytes, MPI_BYTE, (rank + 1) % size, round, MPI_COMM_WORLD, &sent);
    MPI_Recv(in, kBytes, MPI_BYTE, (rank + size - 1) % size, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    act();
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    printf("%s: rank %d, round %d: %ld bytes, looked at %lu, checksum %lx\n", how, rank, round, result,
           touched, sum_of_file());
    fclose(file);
  }
  stop = 1;
  sem_post(&go);
  pthread_join(older, NULL);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
