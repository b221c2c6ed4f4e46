// SPDX-License-Identifier: Apache-2.0
//
// Two-dimensional FFTs of a series of images (HPF/MPI, section 3.2): as one
// data-parallel program that transposes among all its processes, or as a pipeline of
// two tasks, of which the first transforms rows and the second columns.
//
//   mpiexec -n 4 fft2d parallel [N] [IMAGES]
//   mpiexec -n 4 fft2d pipeline [N] [IMAGES]      N is a power of two
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>
#include <numbers>
#include <string_view>

namespace {

using Complex = std::complex<double>;
using Image = lapwing::DistributedArray<Complex>;

/// Radix 2, in place.
void fft(Complex* x, std::int64_t n) {
  for (std::int64_t i = 1, j = 0; i < n; ++i) {
    std::int64_t bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::int64_t length = 2; length <= n; length *= 2) {
    for (std::int64_t k = 0; k < length / 2; ++k) {
      const Complex w =
          std::polar(1.0, -2 * std::numbers::pi / static_cast<double>(length) * static_cast<double>(k));
      for (std::int64_t i = k; i < n; i += length) {
        const Complex a = x[i], b = w * x[i + length / 2];
        x[i] = a + b;
        x[i + length / 2] = a - b;
      }
    }
  }
}

void fft_rows(Image& image) {
  const auto rows = image.view();
  for (std::int64_t row = 0; row < rows.extent(0); ++row) fft(&rows(row, 0), rows.extent(1));
}

void read_image(Image& image, int number) {
  image.each([&](const auto& index, Complex& x) {
    x = std::sin(0.1 * static_cast<double>((index[0] + 1) * (number + 1))) +
        0.5 * std::cos(0.3 * static_cast<double>(index[1] + 1));
  });
}

/// Of the transposed transform: its row i is column i of the transform.
double checksum(Image& image) {
  double sum = 0;
  image.each([&](const auto& index, const Complex& x) {
    sum += std::abs(x) * static_cast<double>((7 * index[1] + 3 * index[0]) % 11 + 1);
  });
  return sum;
}

int run(int argc, char** argv) {
  const bool pipeline = argc > 1 && std::string_view(argv[1]) == "pipeline";
  const int n = argc > 2 ? std::atoi(argv[2]) : 32, images = argc > 3 ? std::atoi(argv[3]) : 3;
  int world = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  if (pipeline && world < 2) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
      std::fprintf(stderr, "usage: mpiexec -n 4 fft2d pipeline [N] [IMAGES], on 2 processes or more\n");
    return 2;
  }
  const lapwing::Tasks tasks = lapwing::Tasks::of_sizes(
      MPI_COMM_WORLD, pipeline ? std::vector{world - world / 2, world / 2} : std::vector{world});
  const int processes = tasks.processes();
  const std::vector<lapwing_dimension> rows{lapwing_block(n, processes, 0), lapwing_collapsed(n)};
  Image a(tasks, rows, {processes}), b(tasks, rows, {processes});
  const lapwing::ArrayDistribution transposed = b.distribution().section({0, 0}, {n, n}, {}, {1, 0});

  double sum = 0, total = 0;
  for (int number = 0; number < images; ++number) {
    if (tasks.rank() == 0) {
      read_image(a, number);
      fft_rows(a);
    }
    if (!pipeline) {
      lapwing::transpose(a, b, {1, 0}, tasks);
    } else if (tasks.rank() == 0) {
      lapwing::send(a, 1, number, tasks);
    } else {
      lapwing_array_recv(b.local().data(), b.allocated(), transposed.get(), 0, number, tasks.get(), nullptr);
    }
    if (!pipeline || tasks.rank() == 1) {
      fft_rows(b);
      sum += checksum(b);
    }
  }
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, tasks.comm());
  if (tasks.process_rank() == 0 && (!pipeline || tasks.rank() == 1))
    std::printf("fft2d: %d images of %d x %d, checksum %.6E\n", images, n, n, total);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
