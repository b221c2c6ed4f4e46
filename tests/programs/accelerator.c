/* SPDX-License-Identifier: Apache-2.0 */
/* Messages between buffers that a device keeps hold of, as programs with accelerators send
   them: it reads what was received as soon as the wait has ended, and writes the next contents
   of what was sent. First word: cuda, or the library that stands for a driver (the kernel's
   io_uring is the device then). Second word: held (the device has the buffers from the start),
   late (from after each wait until it has read) or, with cuda only, never (it is given ordinary
   memory, which its driver stages). Ends with 77 where there is no such device. Knows nothing
   of Lapwing. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/device.h"

enum { kRoom = 8 << 20, kRounds = 4 };

static struct device device;
static unsigned char *both, *in, *out, *plain;
static int rank, wrong, late;

static void fail(const char* what) {
  printf("rank %d: %s failed\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char value(int from, int round, size_t i) {
  unsigned x = ((unsigned)i + 1) * 2654435761u ^ (unsigned)(from * 77 + round) * 40503u;
  return (unsigned char)(x >> 13);
}

static void device_sets(int round, size_t length) {
  for (size_t i = 0; i < length; ++i) plain[i] = value(rank, round, i);
  if (round > 0 && late && !device_release(&device, both)) fail("releasing");
  if (late)
    memcpy(out, plain, length);
  else if (!device_writes(&device, out, plain, length))
    fail("writing by the device");
}

static void device_compares(int round, size_t length) {
  memset(plain, 0, length);
  if (late && !device_hold(&device, both, 2 * kRoom)) fail("taking hold of a received message");
  if (!device_reads(&device, in, plain, length)) fail("reading by the device");
  unsigned long sum = 0;
  int bad = 0;
  for (size_t i = 0; i < length; ++i) {
    bad += plain[i] != value(1 - rank, round, i);
    sum = sum * 31 + plain[i];
  }
  wrong += bad != 0;
  /* Told by one rank: lines of several may go through each other. */
  unsigned long mine[2] = {sum, bad != 0}, all[2][2];
  MPI_Gather(mine, 2, MPI_UNSIGNED_LONG, all, 2, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < 2; ++r)
    printf("rank %d, %zu bytes, round %d: %lx%s\n", r, length, round, all[r][0], all[r][1] ? " WRONG" : "");
}

static void exchange(int how, int round, int length) {
  const int other = 1 - rank;
  if (how == 0) {
    MPI_Request requests[2];
    MPI_Irecv(in, length, MPI_BYTE, other, round, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, length, MPI_BYTE, other, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  } else if (how == 1) {
    if (rank == 0) MPI_Send(out, length, MPI_BYTE, other, round, MPI_COMM_WORLD);
    MPI_Recv(in, length, MPI_BYTE, other, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(out, length, MPI_BYTE, other, round, MPI_COMM_WORLD);
  } else {
    MPI_Sendrecv(out, length, MPI_BYTE, other, round, in, length, MPI_BYTE, other, round, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  /* One piece, so that one registration holds both. */
  both = aligned_alloc(4096, 2 * kRoom);
  plain = malloc(kRoom);
  memset(both, 1, 2 * kRoom);
  in = both + 24;
  out = both + kRoom + 8;
  int ready = argc > 1 && (strcmp(argv[1], "cuda") == 0
                               ? device_open_cuda(&device, kRoom)
                               : dlopen(argv[1], RTLD_NOW) != NULL && device_open_uring(&device, kRoom));
  const char* when = argc > 2 ? argv[2] : "held";
  late = strcmp(when, "late") == 0;
  if (strcmp(when, "never") != 0) ready = ready && device_hold(&device, both, 2 * kRoom);
  if (late) ready = ready && device_release(&device, both);
  int all = 0;
  MPI_Allreduce(&ready, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all) {
    if (rank == 0) printf("no device here\n");
    MPI_Finalize();
    return 77;
  }
  static const int lengths[] = {50000, 70000, 300001, 1 << 20, 6 << 20};
  int round = 0;
  for (int how = 0; how < 3; ++how)
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; ++l)
      for (int r = 0; r < kRounds; ++r, ++round) {
        device_sets(round, (size_t)lengths[l]);
        exchange(how, round, lengths[l]);
        device_compares(round, (size_t)lengths[l]);
      }
  int worst = 0;
  MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst != 0;
}
