/* SPDX-License-Identifier: Apache-2.0 */
/* Messages from and to memory that only a device and MPI reach, from and to the processor's, of
   every kind of call; what arrived is compared by the device. First word: the library that
   stands for a driver. Knows nothing of Lapwing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device_mpi.h"

enum { kRoom = 4 << 20 };

static int rank, wrong;

static unsigned char value(int from, int round, size_t i) {
  unsigned x = ((unsigned)i + 1) * 2654435761u ^ (unsigned)(from * 77 + round) * 40503u;
  return (unsigned char)(x >> 13);
}

static void compare(const char* what, int round, const unsigned char* in, int length) {
  const unsigned char* seen = device_view(in);
  unsigned long sum = 0;
  int bad = 0;
  for (int i = 0; i < length; ++i) {
    bad += seen[i] != value(1 - rank, round, (size_t)i);
    sum = sum * 31 + seen[i];
  }
  wrong += bad != 0;
  /* Told by one rank: lines of several may go through each other. */
  unsigned long mine[2] = {sum, bad != 0}, all[2][2];
  MPI_Gather(mine, 2, MPI_UNSIGNED_LONG, all, 2, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < 2; ++r)
    printf("rank %d, %d bytes, round %d, %s: %lx%s\n", r, length, round, what, all[r][0],
           all[r][1] ? " WRONG" : "");
}

static void exchange(int how, int round, unsigned char* out, unsigned char* in, int length, MPI_Datatype type,
                     int count) {
  const int other = 1 - rank;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request requests[2];
  MPI_Message message;
  switch (how) {
    case 0:
      MPI_Irecv(in, count, type, other, round, world, &requests[0]);
      MPI_Isend(out, count, type, other, round, world, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      return compare("Irecv, Isend", round, in, length);
    case 1:
      if (rank == 0) MPI_Send(out, count, type, other, round, world);
      MPI_Recv(in, count, type, other, round, world, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Ssend(out, count, type, other, round, world);
      return compare("Send, Recv", round, in, length);
    case 2:
      MPI_Sendrecv(out, count, type, other, round, in, count, type, other, round, world, MPI_STATUS_IGNORE);
      return compare("Sendrecv", round, in, length);
    case 3:
      memcpy(device_view(in), device_view(out), (size_t)length);
      MPI_Sendrecv_replace(in, count, type, other, round, other, round, world, MPI_STATUS_IGNORE);
      return compare("Sendrecv_replace", round, in, length);
    default:
      MPI_Isend(out, count, type, other, round, world, &requests[1]);
      MPI_Mprobe(other, round, world, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(in, count, type, &message, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
      return compare("Mprobe, Mrecv", round, in, length);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  unsigned char* device = device_memory(2 * kRoom);
  unsigned char* host = malloc(2 * kRoom);
  if (argc < 2 || !dlopen(argv[1], RTLD_NOW) || !device || !host) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(host, 1, 2 * kRoom);
  MPI_Datatype pair;
  MPI_Type_contiguous(8, MPI_BYTE, &pair);
  MPI_Type_commit(&pair);
  /* 8288 bytes have the size of a header of Lapwing's. */
  static const int lengths[] = {1000, 8288, 20000, 70000, 300000, 3 << 20};
  int round = 0;
  for (int from = 0; from < 2; ++from)
    for (int to = 0; to < 2; ++to)
      for (int how = 0; how < 5; ++how)
        for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; ++l, ++round) {
          unsigned char* out = from ? device + 24 : host + 24;
          unsigned char* in = to ? device + kRoom + 40 : host + kRoom + 40;
          unsigned char* seen = device_view(out);
          for (int i = 0; i < lengths[l]; ++i) seen[i] = value(rank, round, (size_t)i);
          const int pairs = round % 2;
          exchange(how, round, out, in, lengths[l], pairs ? pair : MPI_BYTE,
                   pairs ? lengths[l] / 8 : lengths[l]);
        }
  MPI_Type_free(&pair);
  int worst = 0;
  MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return worst != 0;
}
