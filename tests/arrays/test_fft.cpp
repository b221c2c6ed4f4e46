// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of distributed arrays against a serial one by the definition: random shapes,
// distributions and dimensions, both precisions, both ways. ARRAYS_CASES and ARRAYS_SEED say how many and
// which.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <string>

#include "arrays/random_case.hpp"
#include "lapwing/arrays.hpp"

namespace lapwing::arrays::testing {
namespace {

using Index = std::vector<std::int64_t>;
using Wide = std::complex<long double>;

Wide value_at(std::int64_t number) {
  const auto id = static_cast<std::uint64_t>(number) * 2654435761U + 12345;
  return {static_cast<long double>(id % 1009) / 97 - 5, static_cast<long double>(id / 7 % 1013) / 89 - 6};
}

std::int64_t number_of(const Index& shape, const Index& index) {
  std::int64_t number = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) number = number * shape[d] + index[d];
  return number;
}

// All elements, in row-major order: the sum of the definition along each dimension.
void transform(std::vector<Wide>* all, const Index& shape, const std::vector<int>& axes, bool forward) {
  for (const int axis : axes) {
    const auto d = static_cast<std::size_t>(axis);
    const std::int64_t n = shape[d];
    std::int64_t stride = 1;
    for (std::size_t k = d + 1; k < shape.size(); ++k) stride *= shape[k];
    const std::vector<Wide> before = *all;
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(all->size()); ++at) {
      const std::int64_t k = at / stride % n, first = at - k * stride;
      Wide sum = 0;
      for (std::int64_t j = 0; j < n; ++j) {
        const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j * k % n) /
                                  static_cast<long double>(n);
        sum +=
            before[static_cast<std::size_t>(first + j * stride)] * std::polar(1.0L, forward ? -angle : angle);
      }
      (*all)[static_cast<std::size_t>(at)] = forward ? sum : sum / static_cast<long double>(n);
    }
  }
}

class FftTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { tasks_ = new Tasks(MPI_COMM_WORLD, 0); }
  static void TearDownTestSuite() { delete tasks_; }
  void SetUp() override {
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    lapwing_array_errors_return(1);
    // Debian: libfftw3-double3 and libfftw3-single3, which tools/install-deps installs for the tests.
    DistributedArray<std::complex<double>> one(*tasks_, {lapwing_collapsed(2)}, {1});
    DistributedArray<std::complex<float>> other(*tasks_, {lapwing_collapsed(2)}, {1});
    try {
      const Fft twice(one, one, *tasks_), single(other, other, *tasks_);
    } catch (const ArrayError& error) {
      if (std::string(error.what()).find("not on this machine") == std::string::npos) throw;
      GTEST_SKIP() << "FFTW 3 is not installed";
    }
  }
  void TearDown() override { lapwing_array_errors_return(0); }

  // A distribution over some or all processes, with ghosts now and then.
  std::vector<lapwing_dimension> drawn_layout(Random& random, const Index& shape,
                                              std::vector<int>* grid) const {
    std::vector<lapwing_dimension> dimensions;
    for (const std::int64_t extent : shape) dimensions.push_back(lapwing_collapsed(extent));
    const auto wanted =
        static_cast<std::size_t>(drawn(random, 0, std::min<std::int64_t>(2, std::ssize(shape))));
    std::vector<std::size_t> which(shape.size());
    std::iota(which.begin(), which.end(), 0u);
    std::shuffle(which.begin(), which.end(), random);
    int left = size_;
    *grid = wanted == 0 ? std::vector<int>{1} : std::vector<int>{};
    for (std::size_t g = 0; g < wanted; ++g) {
      const int p = g + 1 == wanted ? left : static_cast<int>(drawn(random, 1, left));
      left /= p;
      grid->push_back(p);
      lapwing_dimension& d = dimensions[which[g]];
      const std::int64_t extent = d.extent;
      d = random() % 2 ? lapwing_block(extent, p, static_cast<int>(g))
                       : lapwing_cyclic(extent, drawn(random, 1, 3), static_cast<int>(g));
      if (random() % 4 == 0) d.ghost_below = d.ghost_above = drawn(random, 0, 2);
    }
    return dimensions;
  }

  template <typename Part>
  void random_arrays(std::uint64_t salt) const {
    const std::int64_t cases = from_environment("ARRAYS_CASES", 25),
                       seed = from_environment("ARRAYS_SEED", 1);
    for (std::int64_t i = 0; i < cases; ++i) {
      Random random(static_cast<std::uint64_t>(seed + i) * 31 + salt);
      Index shape(static_cast<std::size_t>(drawn(random, 1, 4)));
      for (std::int64_t& extent : shape) extent = drawn(random, 1, shape.size() > 2 ? 7 : 20);
      std::vector<int> axes(shape.size());
      std::iota(axes.begin(), axes.end(), 0);
      std::shuffle(axes.begin(), axes.end(), random);
      axes.resize(static_cast<std::size_t>(drawn(random, 1, std::ssize(shape))));
      std::vector<int> grids[2];
      const auto from = drawn_layout(random, shape, &grids[0]), to = drawn_layout(random, shape, &grids[1]);
      DistributedArray<std::complex<Part>> a(*tasks_, from, grids[0], static_cast<int>(random() % 2));
      DistributedArray<std::complex<Part>> b(*tasks_, to, grids[1], static_cast<int>(random() % 2));
      Fft plan(a, b, *tasks_, axes);
      std::int64_t elements = 1;
      for (const std::int64_t extent : shape) elements *= extent;
      std::vector<Wide> expected(static_cast<std::size_t>(elements));
      for (std::int64_t n = 0; n < elements; ++n) expected[static_cast<std::size_t>(n)] = value_at(n);
      const std::string what = "case " + std::to_string(seed + i);
      a.each([&](const Index& x, std::complex<Part>& here) {
        here = std::complex<Part>(value_at(number_of(shape, x)));
      });
      transform(&expected, shape, axes, true);
      plan.forward(a, b);
      compare(b, shape, expected, what + " forward");
      transform(&expected, shape, axes, false);
      a.each([&](const Index&, std::complex<Part>& here) { here = -1; });
      plan.backward(b, a);
      compare(a, shape, expected, what + " backward");
      // The inverse of what never was a transform, and the plan's stages once more.
      b.each([&](const Index& x, std::complex<Part>& here) {
        here = std::complex<Part>(value_at(number_of(shape, x) + 99));
      });
      for (std::int64_t n = 0; n < elements; ++n) expected[static_cast<std::size_t>(n)] = value_at(n + 99);
      transform(&expected, shape, axes, false);
      plan.backward(b, a);
      compare(a, shape, expected, what + " backward again");
      if (HasFatalFailure()) return;
    }
  }

  template <typename Part>
  void compare(DistributedArray<std::complex<Part>>& found, const Index& shape,
               const std::vector<Wide>& expected, const std::string& what) const {
    long double largest = 1;
    for (const Wide& x : expected) largest = std::max(largest, std::abs(x));
    const long double most = 16 * largest * std::numeric_limits<Part>::epsilon();
    long double worst = 0;
    found.each([&](const Index& x, std::complex<Part>& here) {
      worst = std::max(worst, std::abs(Wide(here) - expected[static_cast<std::size_t>(number_of(shape, x))]));
    });
    // All processes find the same: those that go on would wait for one that does not.
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_LONG_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    ASSERT_LE(worst, most) << what << " of " << shape.size() << " dimensions on " << size_ << " processes";
  }

  template <typename T, typename U>
  int refused(const DistributedArray<T>& a, const DistributedArray<U>& b,
              const std::vector<int>& axes = {}) const {
    lapwing_fft* plan = nullptr;
    const int code = lapwing_fft_create(a.distribution().get(), b.distribution().get(),
                                        static_cast<int>(axes.size()), axes.data(), tasks_->get(), &plan);
    sentence_ = lapwing_array_error_string();
    EXPECT_EQ(plan == nullptr, code != 0);
    lapwing_fft_free(&plan);
    return code;
  }

  int size_ = 0;
  mutable std::string sentence_;
  static inline Tasks* tasks_ = nullptr;
};

TEST_F(FftTest, RandomArraysOfDouble) { random_arrays<double>(5); }

TEST_F(FftTest, RandomArraysOfFloat) { random_arrays<float>(6); }

// Slabs at length, and in the same memory.
TEST_F(FftTest, InPlaceOfALargerArray) {
  const Index shape{48, 36};
  DistributedArray<std::complex<double>> a(*tasks_, {lapwing_block(48, size_, 0), lapwing_collapsed(36)},
                                           {size_});
  Fft plan(a, a, *tasks_);
  std::vector<Wide> expected(48 * 36);
  for (std::size_t n = 0; n < expected.size(); ++n) expected[n] = value_at(static_cast<std::int64_t>(n));
  a.each([&](const Index& x, auto& here) { here = std::complex<double>(value_at(number_of(shape, x))); });
  const std::vector<Wide> before = expected;
  transform(&expected, shape, {0, 1}, true);
  for (int round = 0; round < 3; ++round) {
    plan.forward(a, a);
    compare(a, shape, expected, "in place");
    plan.backward(a, a);
    compare(a, shape, before, "and back");
  }
}

TEST_F(FftTest, WhatIsNoTransform) {
  using Complex = std::complex<double>;
  const auto blocks = [&](std::int64_t n) {
    return std::vector{lapwing_block(n, size_, 0), lapwing_collapsed(5)};
  };
  DistributedArray<Complex> a(*tasks_, blocks(8), {size_}), b(*tasks_, blocks(9), {size_}),
      none(*tasks_, blocks(0), {size_});
  DistributedArray<std::complex<float>> single(*tasks_, blocks(8), {size_});
  DistributedArray<double> real(*tasks_, blocks(8), {size_});
  EXPECT_EQ(refused(a, b), LAPWING_ARRAY_ERR_SHAPE);
  EXPECT_NE(sentence_.find("task 0, rank 0: the array is (8, 5), its transform (9, 5)"), std::string::npos)
      << sentence_;
  EXPECT_EQ(refused(none, none), LAPWING_ARRAY_ERR_SHAPE);
  EXPECT_EQ(refused(a, single), LAPWING_ARRAY_ERR_TYPE);
  EXPECT_EQ(refused(real, real), LAPWING_ARRAY_ERR_TYPE);
  EXPECT_NE(sentence_.find("not of float64"), std::string::npos) << sentence_;
  for (const std::vector<int>& axes : {std::vector{2}, {-1}, {0, 1, 0}})
    EXPECT_EQ(refused(a, a, axes), LAPWING_ARRAY_ERR_ARGUMENT);
  if (size_ > 1) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    EXPECT_EQ(refused(a, a, {rank == 0 ? 0 : 1}), LAPWING_ARRAY_ERR_DIFFERS);
    EXPECT_NE(sentence_.find("different arrays or dimensions"), std::string::npos) << sentence_;
  }
  EXPECT_EQ(refused(a, a), 0);
}

}  // namespace
}  // namespace lapwing::arrays::testing
