// SPDX-License-Identifier: Apache-2.0
#include "support/kernel.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace lapwing::bench {

namespace {

// Read through volatile so that the compiler cannot fold the chain of operations.
volatile std::uint64_t multiplier = 6364136223846793005ULL;
volatile std::uint64_t increment = 1442695040888963407ULL;
volatile std::uint64_t scanned;  // keeps timed scans from being dropped
constexpr std::uint64_t round_step = 0x9e3779b97f4a7c15ULL;

std::uint64_t hash(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::uint32_t steps_of_block(std::uint64_t block, Work work) {
  return static_cast<std::uint32_t>((((block + 1) * work.steps_q8) >> 8) - ((block * work.steps_q8) >> 8));
}

double timed_scan(const std::uint64_t* data, std::size_t bytes, Work work) {
  double best = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double start = now();
    scanned = scan_up(data, 0, bytes, work, 1);
    best = std::min(best, now() - start);
    if (best > 0.05 && repeat >= 1) break;
  }
  return best;
}

}  // namespace

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

[[gnu::noinline]] std::uint64_t scan_up(const std::uint64_t* data, std::size_t from, std::size_t to,
                                        Work work, std::uint64_t acc) {
  const std::uint64_t a = multiplier, c = increment;
  for (std::size_t block = from / kernel_block; block < to / kernel_block; ++block) {
    const std::uint32_t steps = steps_of_block(block, work);
    const std::uint64_t* element = data + block * kernel_elements;
    for (std::size_t i = 0; i < kernel_elements; ++i) {
      acc = acc * a + element[i];
      for (std::uint32_t s = 0; s < steps; ++s) acc = acc * a + c;
    }
  }
  return acc;
}

[[gnu::noinline]] std::uint64_t scan_down(const std::uint64_t* data, std::size_t from, std::size_t to,
                                          Work work, std::uint64_t acc) {
  const std::uint64_t a = multiplier, c = increment;
  for (std::size_t block = to / kernel_block; block-- > from / kernel_block;) {
    const std::uint32_t steps = steps_of_block(block, work);
    const std::uint64_t* element = data + block * kernel_elements;
    for (std::size_t i = kernel_elements; i-- > 0;) {
      acc = acc * a + element[i];
      for (std::uint32_t s = 0; s < steps; ++s) acc = acc * a + c;
    }
  }
  return acc;
}

void fill_payload(std::uint64_t* data, std::size_t bytes, std::uint64_t round) {
  for (std::size_t i = 0; i < bytes / sizeof *data; ++i) data[i] = hash(i) + round * round_step;
}

void advance_payload(std::uint64_t* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes / sizeof *data; ++i) data[i] += round_step;
}

Expectation::Expectation(std::size_t bytes, Work work, bool descending) {
  const auto scan = descending ? scan_down : scan_up;
  std::vector<std::uint64_t> data(bytes / sizeof(std::uint64_t));
  fill_payload(data.data(), bytes, 0);
  first_ = scan(data.data(), 0, bytes, work, 1);
  per_start_ = scan(data.data(), 0, bytes, work, 2) - first_;
  advance_payload(data.data(), bytes);
  per_round_ = scan(data.data(), 0, bytes, work, 1) - first_;
}

Work calibrate(const std::uint64_t* data, std::size_t bytes, double seconds) {
  // A sample of the data suffices for a first guess; the whole decides.
  const std::size_t sample = std::min<std::size_t>(bytes, 256 * 1024);
  const double wanted = seconds * static_cast<double>(sample) / static_cast<double>(bytes);
  double low = 0, low_s = timed_scan(data, sample, {0});
  if (low_s >= wanted) return {0};
  double high = 256 * 16, high_s = timed_scan(data, sample, {static_cast<std::uint32_t>(high)});
  double guess = high;
  for (int round = 0; round < 4; ++round) {
    guess = std::max(0.0, low + (high - low) * (wanted - low_s) / (high_s - low_s));
    const double guess_s = timed_scan(data, sample, {static_cast<std::uint32_t>(guess)});
    if (std::abs(guess_s - wanted) < 0.003 * wanted) break;
    low = guess * 0.9, low_s = timed_scan(data, sample, {static_cast<std::uint32_t>(low)});
    high = guess * 1.1 + 16, high_s = timed_scan(data, sample, {static_cast<std::uint32_t>(high)});
  }
  const double whole_s = timed_scan(data, bytes, {static_cast<std::uint32_t>(guess)});
  return {static_cast<std::uint32_t>(std::max(0.0, guess * seconds / whole_s))};
}

}  // namespace lapwing::bench
