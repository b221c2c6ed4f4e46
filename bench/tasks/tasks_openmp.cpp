// SPDX-License-Identifier: Apache-2.0
// The same graphs as tasks of GCC's OpenMP, with `depend`.
#include <omp.h>

#include "tasks/shapes.hpp"

namespace tasks_bench {

std::vector<double> run_openmp(const Graph& graph, long iterations, int rounds, int workers, int batch,
                               std::vector<Cell>& cells) {
  std::vector<double> seconds;
  Cell* const all = cells.data();
#pragma omp parallel num_threads(workers)
#pragma omp single
  for (int round = 0; round <= rounds; ++round) {
    const double begin = now();
    int left = batch;
    for (const Node& node : graph.nodes) {
      if (batch > 0 && left-- == 0) {
#pragma omp taskwait
        left = batch - 1;
      }
      Cell* const x = node.changes < 0 ? nullptr : all + node.changes;
      const Cell* const a = node.reads[0] < 0 ? nullptr : all + node.reads[0];
      const Cell* const b = node.reads[1] < 0 ? nullptr : all + node.reads[1];
      if (x == nullptr) {
#pragma omp task firstprivate(iterations)
        body(nullptr, nullptr, nullptr, iterations);
      } else if (a == nullptr) {
#pragma omp task depend(inout : *x) firstprivate(x, iterations)
        body(x, nullptr, nullptr, iterations);
      } else if (b == nullptr) {
#pragma omp task depend(inout : *x) depend(in : *a) firstprivate(x, a, iterations)
        body(x, a, nullptr, iterations);
      } else {
#pragma omp task depend(inout : *x) depend(in : *a) depend(in : *b) firstprivate(x, a, b, iterations)
        body(x, a, b, iterations);
      }
    }
#pragma omp taskwait
    if (round > 0) seconds.push_back(now() - begin);
  }
  return seconds;
}

}  // namespace tasks_bench
