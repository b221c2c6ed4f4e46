// SPDX-License-Identifier: Apache-2.0
// One system, one graph, one length of tasks: `tasks SYSTEM CASE TASKS WORKERS
// ROUNDS ITERATIONS BATCH`. Prints one JSON line with the seconds of each round and
// whether the cells are those of the serial program. The driver alternates.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>

#include "tasks/shapes.hpp"

namespace tasks_bench {

std::vector<double> run_serial(const Graph& graph, long iterations, int rounds, int, int,
                               std::vector<Cell>& cells) {
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {
    const double begin = now();
    for (const Node& node : graph.nodes) {
      const auto cell = [&](int i) { return i < 0 ? nullptr : &cells[static_cast<std::size_t>(i)]; };
      body(cell(node.changes), cell(node.reads[0]), cell(node.reads[1]), iterations);
    }
    if (round > 0) seconds.push_back(now() - begin);
  }
  return seconds;
}

namespace {

Graph make_graph(const std::string& name, int tasks) {
  Graph graph;
  std::mt19937 random(7);
  constexpr int width = 64;
  const auto at = [](int i) { return (i + width) % width; };
  if (name == "independent_objects") graph.cells = 1024;
  if (name == "chain") graph.cells = 1;
  if (name == "chains") graph.cells = 16;
  if (name == "stencil") graph.cells = 2 * width;
  if (name == "random") graph.cells = 256;
  for (int i = 0; i < tasks; ++i) {
    Node node;
    if (name == "independent_objects" || name == "chain" || name == "chains") {
      node.changes = i % graph.cells;
    } else if (name == "stencil") {
      // Two rows that take turns; each cell from itself and its neighbours before.
      const int row = i / width % 2 * width, before = width - row, column = i % width;
      node = {row + column, {before + at(column - 1), before + at(column + 1)}};
    } else if (name == "random") {
      const auto pick = [&] { return static_cast<int>(random() % 256); };
      node.changes = pick();
      do node.reads[0] = pick();
      while (node.reads[0] == node.changes);
      do node.reads[1] = pick();
      while (node.reads[1] == node.changes || node.reads[1] == node.reads[0]);
    }
    graph.nodes.push_back(node);
  }
  return graph;
}

// The most that was resident since the program began.
long most_memory_kib() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

int run_all(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr,
                 "usage: tasks serial|lapwing|openmp|starpu CASE TASKS WORKERS ROUNDS ITERATIONS BATCH\n");
    return 2;
  }
  const std::string name = argv[1], shape = argv[2];
  const int tasks = std::atoi(argv[3]), workers = std::atoi(argv[4]), rounds = std::atoi(argv[5]);
  const long iterations = std::atol(argv[6]);
  const int batch = std::atoi(argv[7]);
  System system = nullptr;
  if (name == "serial") system = run_serial;
  if (name == "lapwing") system = run_lapwing;
  if (name == "openmp") system = run_openmp;
#ifdef LAPWING_BENCH_STARPU
  if (name == "starpu") system = run_starpu;
#endif
  if (system == nullptr) {
    std::fprintf(stderr, "tasks: there is no '%s' in this build\n", name.c_str());
    return 3;
  }
  const Graph graph = make_graph(shape, tasks);
  std::vector<Cell> cells(static_cast<std::size_t>(graph.cells)), expected(cells);
  const auto seconds = system(graph, iterations, rounds, workers, batch, cells);
  run_serial(graph, iterations, rounds, 1, 0, expected);
  std::string list;
  for (const double s : seconds) list += (list.empty() ? "" : ",") + std::to_string(1e6 * s / tasks);
  std::printf(
      "{\"system\":\"%s\",\"case\":\"%s\",\"tasks\":%d,\"workers\":%d,\"iterations\":%ld,\"batch\":%d,\"us\":"
      "[%s],"
      "\"rss_kib\":%ld,\"verified\":%s}\n",
      name.c_str(), shape.c_str(), tasks, workers, iterations, batch, list.c_str(),
      most_memory_kib() - static_cast<long>(graph.nodes.size() * sizeof(Node) / 1024),
      cells == expected ? "true" : "false");
  return cells == expected ? 0 : 1;
}

}  // namespace

}  // namespace tasks_bench

int main(int argc, char** argv) { return tasks_bench::run_all(argc, argv); }
