// SPDX-License-Identifier: Apache-2.0
// The task graphs that are measured, and what each system must offer. A graph is
// a list of tasks with the cells that each reads and the one that it changes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasks_bench {

struct Node {
  int changes = -1;  // the cell, or none
  int reads[2] = {-1, -1};
};

struct Graph {
  int cells = 0;
  std::vector<Node> nodes;
};

using Cell = std::uint64_t;

/// A task: as long as `iterations` dependent steps, and a mark that shows whether the order was kept.
inline void body(Cell* changed, const Cell* a, const Cell* b, long iterations) {
  std::uint64_t x = changed == nullptr ? 1 : *changed;
  if (a != nullptr) x += 3 * *a;
  if (b != nullptr) x += 5 * *b;
  for (long i = 0; i < iterations; ++i) asm volatile("imul $3, %0, %0" : "+r"(x));
  if (changed != nullptr) *changed = x * 6364136223846793005ULL + 1;
}

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Runs a graph `1 + rounds` times and returns the seconds of each run but the
/// first; `cells` has the state after them. With a batch the main program waits
/// for all tasks after each so many: GCC runs a task where it is spawned once 64
/// a thread are waiting, and that is not what is to be compared.
using System = std::vector<double> (*)(const Graph&, long iterations, int rounds, int workers, int batch,
                                       std::vector<Cell>&);
std::vector<double> run_serial(const Graph&, long iterations, int rounds, int workers, int batch,
                               std::vector<Cell>&);
std::vector<double> run_lapwing(const Graph&, long iterations, int rounds, int workers, int batch,
                                std::vector<Cell>&);
std::vector<double> run_openmp(const Graph&, long iterations, int rounds, int workers, int batch,
                               std::vector<Cell>&);
#ifdef LAPWING_BENCH_STARPU
std::vector<double> run_starpu(const Graph&, long iterations, int rounds, int workers, int batch,
                               std::vector<Cell>&);
#endif

}  // namespace tasks_bench
