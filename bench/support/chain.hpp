// SPDX-License-Identifier: Apache-2.0
// The computation of the benchmarks that are also built by the wrappers: it stands in the same source file as
// the calls of MPI, so that the compiler sees what it reads. Each element is read once, in order, into a
// chain of dependent operations whose length can be chosen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

namespace lapwing::bench::chain {

inline constexpr std::uint64_t round_step = 0x9e3779b97f4a7c15ULL;

/// How much is computed per element: `steps_q8` further operations, in 1/256ths, on average. The compiler
/// does not know the factor, so it can shorten no chain.
struct Work {
  std::uint64_t steps_q8, factor;
};

inline Work work(std::uint64_t steps_q8) {
  static volatile std::uint64_t factor = 6364136223846793005ULL;
  return {steps_q8, factor};
}

inline std::uint64_t turned(std::uint64_t acc, std::uint64_t factor, std::uint64_t steps) {
  for (std::uint64_t s = 0; s < steps; ++s) acc = acc * factor + round_step;
  return acc;
}

/// Reads `words` elements. For a given length the result is an affine function of the elements.
inline std::uint64_t scan(const std::uint64_t* data, std::size_t words, Work work) {
  std::uint64_t acc = 1, owed = 0;
  for (std::size_t i = 0; i < words; ++i) {
    acc = acc * work.factor + data[i];
    owed += work.steps_q8;
    acc = turned(acc, work.factor, owed >> 8);
    owed &= 255;
  }
  return acc;
}

/// What `from` sends in round 0; each round adds `round_step` to every element.
inline void fill(std::uint64_t* data, std::size_t words, int from) {
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint64_t z = (i + 1 + (static_cast<std::uint64_t>(from) << 40)) * 0xbf58476d1ce4e5b9ULL;
    data[i] = z ^ (z >> 29);
  }
}

inline void advance(std::uint64_t* data, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) data[i] += round_step;
}

/// The sum of the scans of rounds 1 to `rounds` of what `from` sends: two scans foretell all.
inline std::uint64_t expected(std::size_t words, int from, std::uint64_t rounds, Work work) {
  std::vector<std::uint64_t> data(words);
  fill(data.data(), words, from);
  const std::uint64_t first = scan(data.data(), words, work);
  advance(data.data(), words);
  const std::uint64_t each = scan(data.data(), words, work) - first;
  return rounds * first + each * (rounds * (rounds + 1) / 2);
}

inline double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of one of the further operations.
inline double step_seconds() {
  constexpr std::uint64_t steps = 4 << 20;
  const std::uint64_t factor = work(0).factor;
  double best = 1e30;
  std::uint64_t acc = 1;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = now();
    acc = turned(acc, factor, steps);
    best = now() - begin < best ? now() - begin : best;
  }
  return acc == 0 ? 0 : best / steps;  // so that the chain is needed
}

}  // namespace lapwing::bench::chain
