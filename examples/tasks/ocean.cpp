// SPDX-License-Identifier: Apache-2.0
// Ocean: the stream function of a wind-driven basin, by successive
// over-relaxation with a five-point stencil.
//
// The grid is cut into interior blocks of columns, with a boundary block two
// columns wide between every two of them. A task updates an interior block and
// one column of each boundary block beside it. It gives up the left boundary
// block as soon as its column there is done, and asks for the right one only
// when it gets there: so the tasks of one sweep follow each other closely, and
// those of the next sweep follow behind. The order of the updates is the serial
// one, so the result has the same bits for every number of blocks.
#include <algorithm>
#include <cmath>
#include <vector>

#include "application.hpp"

using namespace lapwing::tasks;

namespace {

using Columns = std::vector<double>;  // one after the other

struct Setup {
  int size = 192, sweeps = 600, blocks = 0;
  bool place = false, plain = false, original = false;
};

struct Basin {
  int size;
  double omega;
};

// Sets one column from itself and the columns beside it (null: the shore).
void update_column(const Basin& basin, const double* wind, const double* left, double* self,
                   const double* right) {
  const int n = basin.size;
  for (int row = 0; row < n; ++row) {
    const double west = left == nullptr ? 0 : left[row], east = right == nullptr ? 0 : right[row];
    const double north = row == 0 ? 0 : self[row - 1], south = row == n - 1 ? 0 : self[row + 1];
    self[row] += basin.omega * (0.25 * (west + east + north + south - wind[row]) - self[row]);
  }
}

// A block without columns is beyond the shore (or work-free).
const double* first_column(const Columns& block) { return block.empty() ? nullptr : block.data(); }

// The right column of the boundary block to the left of `inside`; returns it.
Columns left_column(const Basin& basin, const Columns& wind, Columns& left, const Columns& inside) {
  if (left.empty()) return {};
  const auto n = static_cast<std::ptrdiff_t>(basin.size);
  update_column(basin, wind.data(), left.data(), left.data() + n, first_column(inside));
  return {left.begin() + n, left.end()};
}

// The columns of an interior block behind column `before`. Without the boundary
// block to the right: all but the last one; with it: the last one, and the left
// column of the boundary block.
void update_block(const Basin& basin, const Columns& wind, const Columns& before, Columns& inside,
                  Columns* right) {
  if (inside.empty()) return;
  const auto n = static_cast<std::size_t>(basin.size);
  const std::size_t last = inside.size() - n;
  for (std::size_t c = right == nullptr ? 0 : last; c < (right == nullptr ? last : inside.size()); c += n) {
    double* const self = inside.data() + c;
    update_column(basin, wind.data(), c == 0 ? first_column(before) : self - n, self,
                  c == last ? first_column(*right) : self + n);
  }
  if (right != nullptr && !right->empty()) {
    update_column(basin, wind.data(), inside.data() + last, right->data(), right->data() + n);
  }
}

class Ocean {
 public:
  Ocean(const Setup& setup, bool empty) : setup_(setup), empty_(empty) {
    const int processors = workers() > 1 ? workers() - 1 : 1;
    if (setup_.blocks == 0) setup_.blocks = processors;
    setup_.blocks = std::min(setup_.blocks, (setup_.size + 2) / 3);
    const auto n = static_cast<std::size_t>(setup_.size);
    std::vector<double> wind(n);
    const double pi = std::acos(-1.0), spacing = 1.0 / (setup_.size + 1);
    for (std::size_t row = 0; row < n; ++row)
      wind[row] = -spacing * spacing * std::sin(2 * pi * spacing * static_cast<double>(row + 1));
    basin_ = create_named<Basin>("basin", Basin{setup_.size, 2 / (1 + std::sin(pi * spacing))});
    wind_ = create_named<Columns>("wind", wind);
    const int inner = setup_.size - 2 * (setup_.blocks - 1);
    for (int b = 0; b < setup_.blocks; ++b) {
      const int columns = inner * (b + 1) / setup_.blocks - inner * b / setup_.blocks;
      border_.push_back(block("border", b, b == 0 ? 0 : 2));
      interior_.push_back(block("interior", b, columns));
    }
    border_.push_back(block("border", setup_.blocks, 0));
  }

  void sweep() {
    for (int b = 0; b < setup_.blocks; ++b) {
      if (setup_.plain) {
        plain_task(b);
      } else {
        pipelined_task(b);
      }
    }
  }

  std::vector<double> grid() const {
    std::vector<double> all;
    const auto take = [&](const Columns& block) { all.insert(all.end(), block.begin(), block.end()); };
    for (std::size_t b = 0; b < interior_.size(); ++b) {
      take(*read(border_[b]));
      take(*read(interior_[b]));
    }
    return all;
  }

  /// The program before it was divided into blocks and tasks: the same sweeps over the whole grid.
  std::vector<double> reference() const {
    const auto n = static_cast<std::size_t>(setup_.size);
    std::vector<double> grid(n * n);
    const Basin basin = *read(basin_);
    const Columns& wind = *read(wind_);
    for (int s = 0; s < setup_.sweeps; ++s) {
      for (double* self = grid.data(); self < grid.data() + n * n; self += n) {
        update_column(basin, wind.data(), self == grid.data() ? nullptr : self - n, self,
                      self + n == grid.data() + n * n ? nullptr : self + n);
      }
    }
    return grid;
  }

  double residual(const std::vector<double>& grid) const {
    const int n = setup_.size;
    const Columns& wind = *read(wind_);
    double worst = 0, largest = 0;
    const auto at = [&](int column, int row) {
      return column < 0 || row < 0 || column == n || row == n
                 ? 0
                 : grid[static_cast<std::size_t>(column * n + row)];
    };
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) {
        const double beside = at(c - 1, r) + at(c + 1, r) + at(c, r - 1) + at(c, r + 1);
        const double w = wind[static_cast<std::size_t>(r)];
        worst = std::max(worst, std::abs(beside - 4 * at(c, r) - w));
        largest = std::max(largest, std::abs(w));
      }
    }
    return worst / largest;
  }

  int blocks() const { return setup_.blocks; }

 private:
  shared<Columns> block(const char* name, int b, int columns) {
    const auto size = static_cast<std::size_t>(columns * setup_.size);
    const auto made = create_named<Columns>(name + std::string(" ") + std::to_string(b), empty_ ? 0 : size);
    // It begins its life where it will be updated, if the program says where that is.
    spawn([](Columns& x) { std::fill(x.begin(), x.end(), 0.0); }, read_write(made), on(where(b)));
    return made;
  }

  // One processor creates the tasks; the blocks go round the others.
  int where(int b) const { return setup_.place && workers() > 1 ? 1 + b % (workers() - 1) : -1; }

  void pipelined_task(int b) {
    const auto inside = interior_[static_cast<std::size_t>(b)];
    const auto left = border_[static_cast<std::size_t>(b)], right = border_[static_cast<std::size_t>(b) + 1];
    const auto basin = basin_;
    const auto wind = wind_;
    withonly(
        [&](Access& a) {
          a.rd_wr(inside);
          a.rd_wr(left);
          a.df_rd_wr(right);
          a.rd(basin);
          a.rd(wind);
          a.on(where(b));
          a.name("block", b);
        },
        [=] {
          Columns before = left_column(*read(basin), *read(wind), *read_write(left), *read(inside));
          with_cont([&](Continue& c) { c.no_more(left); });
          // The last column looks to the right: all but that one first.
          update_block(*read(basin), *read(wind), before, *read_write(inside), nullptr);
          with_cont([&](Continue& c) { c.rd_wr(right); });
          update_block(*read(basin), *read(wind), before, *read_write(inside), &*read_write(right));
        });
  }

  // The same without acquiring and releasing inside: half of the blocks at a time.
  void plain_task(int b) {
    spawn(
        [](Columns& inside, const Basin& basin, const Columns& wind, Columns& left, Columns& right) {
          const Columns before = left_column(basin, wind, left, inside);
          update_block(basin, wind, before, inside, nullptr);
          update_block(basin, wind, before, inside, &right);
        },
        read_write(interior_[static_cast<std::size_t>(b)]), read(basin_), read(wind_),
        read_write(border_[static_cast<std::size_t>(b)]),
        read_write(border_[static_cast<std::size_t>(b) + 1]), on(where(b)), named("block", b));
  }

  Setup setup_;
  bool empty_;
  shared<Basin> basin_;
  shared<Columns> wind_;
  std::vector<shared<Columns>> interior_, border_;
};

void solve_whole(const Setup& setup, example::Application& app) {
  const Ocean ocean(setup, false);
  app.begin();
  const std::vector<double> grid = ocean.reference();
  app.end();
  example::Checksum sum;
  sum.add(grid);
  app.say("residual", ocean.residual(grid));
  app.say("checksum", sum.text());
}

void solve(const Setup& setup, example::Application& app) {
  if (setup.original) return solve_whole(setup, app);
  Ocean ocean(setup, app.work_free);
  app.begin();
  for (int s = 0; s < setup.sweeps; ++s) ocean.sweep();
  app.end();
  app.say("size", setup.size);
  app.say("sweeps", setup.sweeps);
  app.say("blocks", ocean.blocks());
  if (app.work_free) return;
  const std::vector<double> grid = ocean.grid();
  example::Checksum sum;
  sum.add(grid);
  app.say("residual", ocean.residual(grid));
  app.say("checksum", sum.text());
  app.check("the grid is not that of the serial sweeps", grid == ocean.reference());
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  example::Application app("ocean", "The stream function of a wind-driven basin, by over-relaxation");
  app.option("--size", setup.size, "Points in each direction", 3, 16384);
  app.option("--sweeps", setup.sweeps, "Sweeps over the grid", 0, 1e9);
  app.option("--blocks", setup.blocks, "Interior blocks; 0: one for each processor but the main one", 0,
             4096);
  app.flag("--place", setup.place, "Place each task, round the processors but the main one");
  app.flag("--original", setup.original, "The program before it was divided into blocks and tasks");
  app.flag("--plain", setup.plain, "Without acquiring and releasing objects inside of tasks");
  return app.main(argc, argv, [&](example::Application& a) { solve(setup, a); });
}
