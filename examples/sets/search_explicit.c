/* SPDX-License-Identifier: Apache-2.0
 * search.c in plain MPI: the finder tells every higher rank, and everybody has to
 * know when no such message can come any more, so that none is left behind. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t hash(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

int main(int argc, char** argv) {
  const uint64_t numbers = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000;
  const uint64_t zeros = argc > 2 ? (1u << atoi(argv[2])) - 1 : (1 << 20) - 1;
  uint64_t first, last, number, result = 0, expected = 0;
  int rank, size, i, arrived, stop = 0, told = 0, found, lowest, serial = -1, right;
  MPI_Comm news;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &news);
  first = numbers / (uint64_t)size * (uint64_t)rank;
  last = rank == size - 1 ? numbers : first + numbers / (uint64_t)size;
  found = size;
  for (number = first; number < last && !stop; ++number) {
    if ((hash(number) & zeros) == 0) {
      found = rank;
      result = number;
      break;
    }
    if (number % 1024 == 0) {
      MPI_Iprobe(MPI_ANY_SOURCE, 0, news, &arrived, MPI_STATUS_IGNORE);
      if (arrived) {
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, news, MPI_STATUS_IGNORE);
        ++told;
        stop = 1;
      }
    }
  }
  if (found == rank) {
    for (i = rank + 1; i < size; ++i) MPI_Send(NULL, 0, MPI_BYTE, i, 0, news);
  }
  /* How many messages each process has to take out, itself included. */
  int finders = found == rank, below = 0;
  MPI_Exscan(&finders, &below, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) below = 0;
  for (; told < below; ++told) MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 0, news, MPI_STATUS_IGNORE);
  MPI_Allreduce(&found, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (lowest < size) MPI_Bcast(&result, 1, MPI_UINT64_T, lowest, MPI_COMM_WORLD);

  for (number = 0; number < numbers && serial < 0; ++number) {
    if ((hash(number) & zeros) != 0) continue;
    expected = number;
    serial = 0;
  }
  right = lowest == size ? serial < 0 : serial == 0 && result == expected;
  if (rank == 0) {
    if (lowest == size)
      printf("search: nothing found, %s\n", right ? "verified" : "WRONG");
    else
      printf("search: %llu, %s\n", (unsigned long long)result, right ? "verified" : "WRONG");
  }
  MPI_Comm_free(&news);
  MPI_Finalize();
  return right ? 0 : 1;
}
