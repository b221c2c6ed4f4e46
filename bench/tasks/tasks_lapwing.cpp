// SPDX-License-Identifier: Apache-2.0
#include <lapwing/tasks.hpp>

#include "tasks/shapes.hpp"

namespace tasks_bench {

std::vector<double> run_lapwing(const Graph& graph, long iterations, int rounds, int workers, int batch,
                                std::vector<Cell>& cells) {
  namespace lt = lapwing::tasks;
  std::vector<double> seconds;
  lt::Options options;
  options.workers = workers;
  lt::run(options, [&] {
    std::vector<lt::shared<Cell>> objects;
    for (int i = 0; i < graph.cells; ++i) objects.push_back(lt::create<Cell>(0));
    const auto object = [&](int i) { return objects[static_cast<std::size_t>(i)]; };
    for (int round = 0; round <= rounds; ++round) {
      const double begin = now();
      int left = batch;
      for (const Node& node : graph.nodes) {
        if (batch > 0 && left-- == 0) {
          lt::finish();
          left = batch - 1;
        }
        if (node.changes < 0) {
          lt::spawn([](long n) { body(nullptr, nullptr, nullptr, n); }, iterations);
        } else if (node.reads[0] < 0) {
          lt::spawn([](Cell& x, long n) { body(&x, nullptr, nullptr, n); },
                    lt::read_write(object(node.changes)), iterations);
        } else if (node.reads[1] < 0) {
          lt::spawn([](Cell& x, const Cell& a, long n) { body(&x, &a, nullptr, n); },
                    lt::read_write(object(node.changes)), lt::read(object(node.reads[0])), iterations);
        } else {
          lt::spawn([](Cell& x, const Cell& a, const Cell& b, long n) { body(&x, &a, &b, n); },
                    lt::read_write(object(node.changes)), lt::read(object(node.reads[0])),
                    lt::read(object(node.reads[1])), iterations);
        }
      }
      lt::finish();
      if (round > 0) seconds.push_back(now() - begin);
    }
    for (int i = 0; i < graph.cells; ++i) cells[static_cast<std::size_t>(i)] = *lt::read(object(i));
  });
  return seconds;
}

}  // namespace tasks_bench
