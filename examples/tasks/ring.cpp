// SPDX-License-Identifier: Apache-2.0
// MPI inside of tasks: a ring of cells, a share of it on each rank, smoothed again and again. Each rank runs
// its own tasks; those of the outer blocks receive what lies beside them from other ranks, with MPI's own
// calls. A task that waits there does not hold its worker, so the program may spawn those that receive first.
//   mpiexec -n 2 ring [BLOCKS [STEPS]]
#include <mpi.h>
#include <lapwing/tasks.hpp>

#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace lapwing::tasks;

namespace {

constexpr int cells = 1000;  // of a block
using Block = std::vector<double>;

void receive(double& cell, int from, int tag) {
  MPI_Recv(&cell, 1, MPI_DOUBLE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void send(const Block& block, int cell, int to, int tag) {
  MPI_Ssend(&block[static_cast<std::size_t>(cell)], 1, MPI_DOUBLE, to, tag, MPI_COMM_WORLD);
}
void smooth(double left, const Block& old, double right, Block& now) {
  for (std::size_t i = 0; i < cells; ++i) {
    const double before = i == 0 ? left : old[i - 1], after = i + 1 == cells ? right : old[i + 1];
    now[i] = (before + 2 * old[i] + after) / 4;
  }
}

double first_value(long cell) { return static_cast<double>(cell * cell % 1009); }

// The same by one loop.
double by_itself(long all, int steps) {
  std::vector<double> old(static_cast<std::size_t>(all)), now(old);
  for (long i = 0; i < all; ++i) old[static_cast<std::size_t>(i)] = first_value(i);
  for (int step = 0; step < steps; ++step) {
    for (long i = 0; i < all; ++i) {
      now[static_cast<std::size_t>(i)] =
          (old[static_cast<std::size_t>((i + all - 1) % all)] + 2 * old[static_cast<std::size_t>(i)] +
           old[static_cast<std::size_t>((i + 1) % all)]) /
          4;
    }
    old.swap(now);
  }
  double sum = 0;
  for (long i = 0; i < all; ++i) sum += old[static_cast<std::size_t>(i)] * static_cast<double>(i % 17);
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = argc > 1 ? std::atoi(argv[1]) : 4, steps = argc > 2 ? std::atoi(argv[2]) : 20;
  if (blocks < 1 || steps < 0) {
    std::fputs("usage: ring [BLOCKS [STEPS]]\n", stderr);
    return 2;
  }
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
  const long first = static_cast<long>(rank) * blocks * cells;
  double sum = 0;
  Options options;
  options.ranks = false;  // each rank runs this program by itself
  run(options, [&] {
    std::vector<shared<Block>> old, now;
    for (int b = 0; b < blocks; ++b) {
      Block values(cells);
      for (int i = 0; i < cells; ++i)
        values[static_cast<std::size_t>(i)] = first_value(first + static_cast<long>(b) * cells + i);
      old.push_back(create<Block>(values));
      now.push_back(create<Block>(values));
    }
    auto left = create<double>(0), right = create<double>(0);
    for (int step = 0; step < steps; ++step) {
      spawn(receive, write(left), before, 2 * step);
      spawn(receive, write(right), after, 2 * step + 1);
      spawn(send, read(old.back()), cells - 1, after, 2 * step);
      spawn(send, read(old.front()), 0, before, 2 * step + 1);
      for (std::size_t b = 0; b < old.size(); ++b) {
        const bool leftmost = b == 0, rightmost = b + 1 == old.size();
        withonly(
            [&](Access& a) {
              a.wr(now[b]);
              a.rd(old[b]);
              leftmost ? a.rd(left) : a.rd(old[b - 1]);
              rightmost ? a.rd(right) : a.rd(old[b + 1]);
            },
            [=, target = now[b], source = old[b], l = old[leftmost ? b : b - 1],
             r = old[rightmost ? b : b + 1]] {
              smooth(leftmost ? *read(left) : read(l)->back(), *read(source),
                     rightmost ? *read(right) : read(r)->front(), *write(target));
            });
      }
      old.swap(now);
    }
    for (int b = 0; b < blocks; ++b) {
      for (int i = 0; i < cells; ++i)
        sum += (*read(old[static_cast<std::size_t>(b)]))[static_cast<std::size_t>(i)] *
               static_cast<double>((first + static_cast<long>(b) * cells + i) % 17);
    }
  });
  double all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int wrong = 0;
  if (rank == 0) {
    const double expected = by_itself(static_cast<long>(ranks) * blocks * cells, steps);
    wrong = all > expected * (1 + 1e-12) || all < expected * (1 - 1e-12);
    std::printf("%d ranks, %d steps: %.6f, %s\n", ranks, steps, all, wrong ? "WRONG" : "right");
  }
  MPI_Finalize();
  return wrong;
}
