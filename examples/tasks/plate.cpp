// SPDX-License-Identifier: Apache-2.0
// The temperature on a plate, by parts of objects: each plate is a matrix in one vector. A task writes a tile
// of the one, and reads the same tile of the other with the cells around it; tasks whose parts have no
// element in common run side by side, and a step need not end before the next begins. Two others look at the
// plate meanwhile: along a column, every `row`-th element, and at the tiles' sums, of each a field of its
// own.
//   plate [TILES [STEPS]]            on threads
//   mpiexec -n 2 plate [TILES ...]   on ranks; of each plate there is one, which goes where it is written
#include <lapwing/tasks.hpp>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <vector>

using namespace lapwing::tasks;

namespace {

using Plate = std::vector<double>;

constexpr std::size_t cells = 240, row = cells + 2;  // with a border of fixed temperature

struct Seen {
  double edge = 0, middle = 0;  // sums over all steps
};

double next(double above, double left, double self, double right, double below) {
  return self + 0.2 * (above + left + right + below - 4 * self);
}

void sweep(rows<const double> from, rows<double> to) {
  for (std::size_t i = 0; i < to.size(); ++i)
    for (std::size_t j = 0; j < to[i].size(); ++j)
      to[i][j] =
          next(from[i][j + 1], from[i + 1][j], from[i + 1][j + 1], from[i + 1][j + 2], from[i + 2][j + 1]);
}

void look(strided<const double> column, double& sum) {
  for (const double each : column) sum += each;
}

Plate warm_on_one_side() {
  Plate plate(row * row, 20.0);
  for (std::size_t i = 0; i < row; ++i) plate[i * row] = 100.0;
  return plate;
}

/// The same without tasks.
Seen serial(Plate& plate, int steps) {
  Seen seen;
  Plate other = plate;
  for (int step = 0; step < steps; ++step) {
    for (std::size_t i = 1; i <= cells; ++i)
      for (std::size_t j = 1; j <= cells; ++j)
        other[i * row + j] = next(plate[(i - 1) * row + j], plate[i * row + j - 1], plate[i * row + j],
                                  plate[i * row + j + 1], plate[(i + 1) * row + j]);
    plate.swap(other);
    look({plate.data() + row + 1, cells, row}, seen.edge);
    look({plate.data() + row + cells / 2, cells, row}, seen.middle);
  }
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  const int tiles = argc > 1 ? std::atoi(argv[1]) : 4, steps = argc > 2 ? std::atoi(argv[2]) : 40;
  if (argc > 3 || tiles < 1 || tiles > static_cast<int>(cells) || steps < 0) {
    std::fprintf(stderr, "usage: plate [TILES [STEPS]], 1 to %zu tiles along each side\n", cells);
    return 2;
  }
  bool same = true;
  run([&] {
    const shared<Plate> both[2] = {create<Plate>(warm_on_one_side()), create<Plate>(warm_on_one_side())};
    const auto seen = create<Seen>();
    const auto n = static_cast<std::size_t>(tiles);
    for (int step = 0; step < steps; ++step) {
      const auto &from = both[step % 2], &to = both[1 - step % 2];
      for (std::size_t tile = 0; tile < n * n; ++tile) {
        const std::size_t top = cells * (tile / n) / n, bottom = cells * (tile / n + 1) / n;
        const std::size_t left = cells * (tile % n) / n, right = cells * (tile % n + 1) / n;
        spawn(sweep, read(block(from, top * row + left, right - left + 2, bottom - top + 2, row)),
              write(block(to, (top + 1) * row + left + 1, right - left, bottom - top, row)));
      }
      spawn(look, read(part(to, row + 1, cells, row)), read_write(field(seen, &Seen::edge)));
      spawn(look, read(part(to, row + cells / 2, cells, row)), read_write(field(seen, &Seen::middle)));
    }
    Plate plain = warm_on_one_side();
    const Seen right = serial(plain, steps);
    same = *read(both[steps % 2]) == plain && read(seen)->edge == right.edge &&
           read(seen)->middle == right.middle;
    std::printf("plate: %d steps by %d x %d tiles on %d workers, %.3f degrees in the middle: %s\n", steps,
                tiles, tiles, workers(),
                steps > 0 ? right.middle / (steps * static_cast<double>(cells)) : 20.0,
                same ? "as the serial program" : "NOT AS THE SERIAL PROGRAM");
  });
  return same ? 0 : 1;
}
