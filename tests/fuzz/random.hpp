// SPDX-License-Identifier: Apache-2.0
// Random numbers, contents and digests of the fuzzer. Everything is a pure function of a
// key, so that all ranks, and the run with and without Lapwing, agree without talking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lapwing::fuzz {

inline uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class... Keys>
uint64_t combine(uint64_t first, Keys... rest) {
  uint64_t h = mix(first + 0x9e3779b97f4a7c15ULL);
  ((h = mix(h ^ (static_cast<uint64_t>(rest) + 0x9e3779b97f4a7c15ULL + (h << 6)))), ...);
  return h;
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(mix(seed ^ 0x5851f42d4c957f2dULL)) {}
  uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }
  uint64_t below(uint64_t limit) { return limit == 0 ? 0 : next() % limit; }
  uint64_t between(uint64_t low, uint64_t high) { return low + below(high - low + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class T>
  T pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }

 private:
  uint64_t state_;
};

// The word of a filling at an index: cheap, and different for each key and place.
inline uint64_t word_of(uint64_t key, size_t index) {
  uint64_t x = (key + index) * 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 29);
}

inline void fill(char* at, size_t bytes, uint64_t key) {
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word = word_of(key, i / 8);
    std::memcpy(at + i, &word, 8);
  }
  uint64_t word = word_of(key, i / 8);
  std::memcpy(at + i, &word, bytes - i);
}

// Depends on every byte, its place and the length.
inline uint64_t digest(const char* at, size_t bytes, uint64_t start = 0) {
  uint64_t h = start ^ (bytes * 0x9e3779b97f4a7c15ULL);
  size_t i = 0;
  for (; i + 8 <= bytes; i += 8) {
    uint64_t word;
    std::memcpy(&word, at + i, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
  }
  uint64_t word = 0;
  std::memcpy(&word, at + i, bytes - i);
  return mix(h ^ word);
}

}  // namespace lapwing::fuzz
