// SPDX-License-Identifier: Apache-2.0
//
// Poisson's equation in a periodic box, by Fourier transforms: in the frequencies it is
// a division. FFTW 3 makes the serial transforms, where it is installed.
//
//   mpiexec -n 4 poisson_cpp [N]        any number of processes
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <lapwing/arrays.hpp>

namespace {

using Complex = std::complex<double>;
using Array = lapwing::DistributedArray<Complex>;

/// Slabs of one of the first two dimensions.
Array slabs(const lapwing::Tasks& tasks, std::int64_t n, std::size_t divided) {
  std::vector<lapwing_dimension> dimensions(3, lapwing_collapsed(n));
  dimensions[divided] = lapwing_block(n, tasks.processes(), 0);
  return Array(tasks, dimensions, {tasks.processes()});
}

void run(int argc, char** argv) {
  const std::int64_t n = argc > 1 ? std::atoi(argv[1]) : 24;
  const lapwing::Tasks tasks(MPI_COMM_WORLD, 0);
  // The frequencies in slabs of the second dimension: that saves a redistribution.
  Array field = slabs(tasks, n, 0), solution = slabs(tasks, n, 0), found = slabs(tasks, n, 0);
  Array spectrum = slabs(tasks, n, 1);
  lapwing::Fft plan(field, spectrum, tasks);

  const double step = 2 * std::acos(-1) / static_cast<double>(n);
  const auto at = [&](const auto& index) {
    const auto angle = [&](std::size_t d) { return step * static_cast<double>(index[d]); };
    return std::pair{std::sin(angle(0)) * std::cos(2 * angle(1)),
                     std::cos(3 * angle(2)) * std::sin(angle(1))};
  };
  solution.each([&](const auto& index, Complex& u) { u = at(index).first + at(index).second; });
  // Minus the Laplacian of the solution.
  field.each([&](const auto& index, Complex& f) { f = 5 * at(index).first + 10 * at(index).second; });

  plan.forward(field, spectrum);
  spectrum.each([&](const auto& index, Complex& f) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto wave = static_cast<double>(2 * index[d] > n ? index[d] - n : index[d]);
      square += wave * wave;
    }
    f = square > 0 ? f / square : 0;
  });
  plan.backward(spectrum, found);

  // Both lie alike in memory.
  double error = 0, largest = 0;
  for (std::size_t p = 0; p < found.local().size(); ++p)
    error = std::max(error, std::abs(found.local()[p] - solution.local()[p]));
  MPI_Reduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (tasks.process_rank() == 0) {
    const int side = static_cast<int>(n);
    std::printf("poisson: %d x %d x %d, error %.1E\n", side, side, side, largest);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc, argv);
  MPI_Finalize();
}
