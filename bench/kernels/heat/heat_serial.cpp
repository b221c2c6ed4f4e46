// SPDX-License-Identifier: Apache-2.0
// The whole rectangle with a rim of constant points around it, point by point.
#include <utility>
#include <vector>

#include "heat/heat.hpp"

namespace heat {

std::uint64_t run_serial(int nx, int ny, int steps, int work) {
  const std::size_t pitch = nx + 2;
  Block whole{};
  whole.nx = nx;
  std::vector<double> now(pitch * (ny + 2), rim_temperature), next = now;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) now[(y + 1) * pitch + x + 1] = initial(whole, x, y);
  for (int step = 0; step < steps; ++step) {
    for (int y = 1; y <= ny; ++y)
      for (int x = 1; x <= nx; ++x) {
        const std::size_t i = y * pitch + x;
        double value =
            now[i] + 0.2 * (now[i - pitch] + now[i + pitch] + now[i - 1] + now[i + 1] - 4.0 * now[i]);
        for (int k = 0; k < work; ++k) value = value + 0.001 * value * (1.0 - value);
        next[i] = value;
      }
    std::swap(now, next);
  }
  std::uint64_t checksum = 0;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      checksum += kernel_share(now[(y + 1) * pitch + x + 1], static_cast<std::uint64_t>(y) * nx + x);
  return checksum;
}

}  // namespace heat
