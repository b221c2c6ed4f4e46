// SPDX-License-Identifier: Apache-2.0
// Exchanges between all processes whose bytes follow from a number, so that each can be checked.
#pragma once

#include <dlfcn.h>
#include <mpi.h>

#include <cstdint>
#include <random>
#include <vector>

#include "lapwing/lapwing.h"

namespace lapwing::test {

using Bytes = std::vector<unsigned char>;

inline unsigned char byte_of(unsigned round, int from, int to, std::size_t at) {
  return static_cast<unsigned char>(at * 31 + at / 251 + 17 * round + 7 * static_cast<unsigned>(from) +
                                    static_cast<unsigned>(to));
}
inline constexpr unsigned char untouched = 0xa5;

/// One MPI_Alltoallv as all ranks know it: counts and gaps of each pair follow from a seed.
struct Exchange {
  Exchange(unsigned number, int processes, std::size_t largest, int width) : round(number), size(processes) {
    std::mt19937 random(number * 7919 + static_cast<unsigned>(processes));
    for (int i = 0; i < size * size; ++i) {
      const unsigned die = random() % 8;
      std::size_t bytes = die == 0 ? 0 : die == 1 ? random() % 9000 : random() % largest;
      counts.push_back(static_cast<int>(bytes) / width);
      gaps.push_back(static_cast<int>(random() % 3 == 0 ? random() % 5000 : random() % 40) / width);
    }
  }
  int count(int from, int to) const { return counts[static_cast<std::size_t>(from * size + to)]; }
  int gap(int from, int to) const { return gaps[static_cast<std::size_t>(from * size + to)]; }

  /// Of one rank's side; blocks may stand in the order of ranks or the other way round.
  struct Side {
    std::vector<int> counts, places;
    std::size_t elements = 0;
  };
  Side side(int rank, bool sends, bool backwards) const {
    Side side;
    side.counts.resize(static_cast<std::size_t>(size));
    side.places.resize(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) {
      const int other = backwards ? size - 1 - i : i;
      const int from = sends ? rank : other, to = sends ? other : rank;
      side.elements += static_cast<std::size_t>(gap(from, to));
      side.counts[static_cast<std::size_t>(other)] = count(from, to);
      side.places[static_cast<std::size_t>(other)] = static_cast<int>(side.elements);
      side.elements += static_cast<std::size_t>(count(from, to));
    }
    return side;
  }

  unsigned round;
  int size;
  std::vector<int> counts, gaps;
};

inline lapwing_stats stats() {
  lapwing_stats now{};
  auto get = reinterpret_cast<decltype(&lapwing_get_stats)>(dlsym(RTLD_DEFAULT, "lapwing_get_stats"));
  if (get) get(&now);
  return now;
}

}  // namespace lapwing::test
