/* SPDX-License-Identifier: Apache-2.0
 * Parallel search with short-cutting: each process looks through a piece of the
 * numbers, in order of ranks, for the first one whose hash ends in zeros. As soon
 * as a lower rank has found one, the work of the higher ones is needless and
 * ends. The result is that of a serial search in every run. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lapwing/shortcut.h"

static uint64_t hash(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

int main(int argc, char** argv) {
  const uint64_t numbers = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000000;
  const uint64_t zeros = argc > 2 ? (1u << atoi(argv[2])) - 1 : (1 << 20) - 1;
  uint64_t first, last, number, looked = 0, all_looked, result = 0, expected = 0;
  int rank, size, finder, serial = -1, right;
  lapwing_shortcut* race;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  first = numbers / (uint64_t)size * (uint64_t)rank;
  last = rank == size - 1 ? numbers : first + numbers / (uint64_t)size;

  race = lapwing_shortcut_begin(MPI_COMM_WORLD, LAPWING_SHORTCUT_LOWEST);
  for (number = first; number < last; ++number) {
    ++looked;
    if ((hash(number) & zeros) == 0) {
      lapwing_shortcut_found(race, &number, sizeof number);
      break;
    }
    if (looked % 1024 == 0 && lapwing_shortcut_done(race)) break;
  }
  finder = lapwing_shortcut_end(race, &result, sizeof result);

  for (number = 0; number < numbers && serial < 0; ++number) {
    if ((hash(number) & zeros) != 0) continue;
    expected = number;
    serial = 0;
  }
  right = finder < 0 ? serial < 0 : serial == 0 && result == expected;
  MPI_Reduce(&looked, &all_looked, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    if (finder < 0)
      printf("search: nothing found, %s\n", right ? "verified" : "WRONG");
    else
      printf("search: %llu, %s\n", (unsigned long long)result, right ? "verified" : "WRONG");
    fprintf(stderr, "looked at %llu of %llu numbers\n", (unsigned long long)all_looked,
            (unsigned long long)numbers);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
