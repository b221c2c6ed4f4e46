// SPDX-License-Identifier: Apache-2.0
// The same graphs as tasks of StarPU, on its CPU workers. The thread that
// submits is none of them, as in every StarPU program; STARPU_SCHED chooses the
// scheduler.
#include <starpu.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tasks/shapes.hpp"

namespace tasks_bench {

namespace {

void cpu(void* buffers[], void* argument) {
  const auto cell = [&](int i) { return reinterpret_cast<Cell*>(STARPU_VARIABLE_GET_PTR(buffers[i])); };
  const auto packed = reinterpret_cast<std::uintptr_t>(argument);
  const long iterations = static_cast<long>(packed >> 2);
  const auto used = static_cast<int>(packed & 3);
  body(used > 0 ? cell(0) : nullptr, used > 1 ? cell(1) : nullptr, used > 2 ? cell(2) : nullptr, iterations);
}

}  // namespace

std::vector<double> run_starpu(const Graph& graph, long iterations, int rounds, int workers, int batch,
                               std::vector<Cell>& cells) {
  setenv("STARPU_SILENT", "1", 0);
  setenv("STARPU_CALIBRATE", "0", 0);
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = workers;
  conf.ncuda = conf.nopencl = 0;
  if (starpu_init(&conf) != 0) throw std::runtime_error("StarPU does not start");
  starpu_codelet codelets[4];
  for (int n = 0; n < 4; ++n) {
    starpu_codelet_init(&codelets[n]);
    codelets[n].cpu_funcs[0] = cpu;
    codelets[n].nbuffers = n;
    if (n > 0) codelets[n].modes[0] = STARPU_RW;
    for (int i = 1; i < n; ++i) codelets[n].modes[i] = STARPU_R;
  }
  std::vector<starpu_data_handle_t> handles(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&cells[i]),
                                  sizeof(Cell));
  }
  std::vector<double> seconds;
  for (int round = 0; round <= rounds; ++round) {
    const double begin = now();
    int left = batch;
    for (const Node& node : graph.nodes) {
      if (batch > 0 && left-- == 0) {
        starpu_task_wait_for_all();
        left = batch - 1;
      }
      const int used = node.changes < 0 ? 0 : node.reads[0] < 0 ? 1 : node.reads[1] < 0 ? 2 : 3;
      starpu_task* const task = starpu_task_create();
      task->cl = &codelets[used];
      if (used > 0) task->handles[0] = handles[static_cast<std::size_t>(node.changes)];
      for (int i = 1; i < used; ++i) task->handles[i] = handles[static_cast<std::size_t>(node.reads[i - 1])];
      task->cl_arg = reinterpret_cast<void*>((static_cast<std::uintptr_t>(iterations) << 2) |
                                             static_cast<std::uintptr_t>(used));
      if (starpu_task_submit(task) != 0) throw std::runtime_error("StarPU takes no task");
    }
    starpu_task_wait_for_all();
    if (round > 0) seconds.push_back(now() - begin);
  }
  for (auto& handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
  return seconds;
}

}  // namespace tasks_bench
