// SPDX-License-Identifier: Apache-2.0
// FFTs of the rows of an image that lies over the processes of a task by rows.
#pragma once

#include <time.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "lapwing/arrays.hpp"

namespace lapwing::bench {

using Complex = std::complex<double>;
using Image = DistributedArray<Complex>;

inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Radix 2, in place, with a table of roots.
class Fft {
 public:
  explicit Fft(std::int64_t n) : n_(n) {
    for (std::int64_t k = 0; k < n / 2; ++k)
      roots_.push_back(
          std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
  }
  void row(Complex* x) const {
    for (std::int64_t i = 1, j = 0; i < n_; ++i) {
      std::int64_t bit = n_ >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    for (std::int64_t length = 2; length <= n_; length *= 2) {
      const std::int64_t half = length / 2, step = n_ / length;
      for (std::int64_t i = 0; i < n_; i += length) {
        for (std::int64_t k = 0; k < half; ++k) {
          const Complex w = roots_[static_cast<std::size_t>(k * step)], u = x[i + k], v = x[i + k + half];
          const Complex b{v.real() * w.real() - v.imag() * w.imag(),
                          v.real() * w.imag() + v.imag() * w.real()};
          x[i + k] = u + b;
          x[i + k + half] = u - b;
        }
      }
    }
  }
  /// All rows of this process; the processor time that they took is added up.
  void rows(Image& image) { rows(image, 0, image.view().extent(0)); }
  /// Some of them.
  void rows(Image& image, std::int64_t first, std::int64_t count) {
    const double began = thread_seconds();
    const auto view = image.view();
    for (std::int64_t i = first; i < first + count; ++i) row(&view(i, 0));
    seconds += thread_seconds() - began;
    done += count;
  }
  double seconds = 0;
  std::int64_t done = 0;

 private:
  std::int64_t n_;
  std::vector<Complex> roots_;
};

}  // namespace lapwing::bench
