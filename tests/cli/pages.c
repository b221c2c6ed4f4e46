// SPDX-License-Identifier: Apache-2.0
/* A receive at each of several places, whose pages are used in a known order. Two ranks: rank 1 sends, a
 * little late; rank 0 receives and prints a sum of all bytes of the last message, so that runs can be
 * compared. pages NAME [MIB]   what is done with the message; every name does it 5 times */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { page = 4096, rounds = 5, late_us = 4000 };
static volatile char* in;
static char* out;
static size_t bytes, sink;

static void compute(int us) {
  double end = MPI_Wtime() + 1e-6 * us;
  while (MPI_Wtime() < end) {
  }
}

static void use(size_t number, int us) {
  sink += (size_t)in[number * page + 7]; /* use */
  if (us > 0) compute(us);
}

static void use_all(const char* how) {
  size_t pages = bytes / page;
  if (!strcmp(how, "up"))
    for (size_t i = 0; i < pages; ++i) use(i, 40);
  if (!strcmp(how, "down"))
    for (size_t i = pages; i > 0; --i) use(i - 1, 40);
  if (!strcmp(how, "strided"))
    for (size_t first = 0; first < 8; ++first)
      for (size_t i = first; i < pages; i += 8) use(i, 0);
  if (!strcmp(how, "random"))
    for (size_t i = 0, at = 1; i < pages; ++i, at = (at * 5 + 3) % pages) use(at, 0);
  if (!strcmp(how, "half"))
    for (size_t i = 0; i < pages / 2; ++i) use(i, 0);
  if (!strcmp(how, "at-once")) memset((char*)in, 1, bytes);
}

static void receive(const char* how) {
  if (!strcmp(how, "later")) {
    MPI_Request request;
    MPI_Irecv((char*)in, (int)bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request); /* started: later */
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                      /* waited: later */
    compute(3 * late_us);
    for (size_t i = 0; i < bytes / page; ++i) sink += (size_t)in[i * page]; /* used: later */
    return;
  }
  MPI_Recv((char*)in, (int)bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* received */
  use_all(how);
  if (!strcmp(how, "passed-on")) MPI_Send((char*)in, (int)bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  if (!strcmp(how, "freed")) {
    munmap((char*)in, bytes);
    in = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
}

int main(int argc, char** argv) {
  int rank;
  const char* how = argc > 1 ? argv[1] : "up";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bytes = (size_t)(argc > 2 ? atof(argv[2]) * 1048576 : 1 << 20);
  in = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  out = malloc(bytes);
  /* A buffer that the kernel keeps as two mappings. */
  if (!strcmp(how, "two-mappings")) madvise((char*)in + bytes / 2 / page * page, bytes / 2, MADV_DONTFORK);
  for (int round = 0; round < rounds; ++round) {
    if (rank == 1) {
      for (size_t i = 0; i < bytes; ++i) out[i] = (char)(i * 7 + i / page + (size_t)round);
      usleep(late_us);
      MPI_Send(out, (int)bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
      if (!strcmp(how, "passed-on"))
        MPI_Recv(out, (int)bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      receive(how);
    }
  }
  if (rank == 0) {
    unsigned sum = 0;
    for (size_t i = 0; i < bytes; ++i) sum = sum * 31 + (unsigned char)in[i];
    printf("%u %zu\n", sum, sink);
  }
  MPI_Finalize();
  return 0;
}
