// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

namespace lapwing::python {

void define_tasks(nb::module_& module) {
  nb::class_<Tasks> tasks(module, "Tasks");
  tasks
      .def("dup",
           [](const Tasks& self) {
             lapwing_tasks* out = nullptr;
             check(released([&] { return lapwing_tasks_dup(self.get(), &out); }));
             return std::make_unique<Tasks>(out);
           })
      .def("free", &Tasks::free)
      .def("task", [](const Tasks& self) { return lapwing_tasks_rank(self.get()); })
      .def("size", [](const Tasks& self) { return lapwing_tasks_size(self.get()); })
      .def("rank", [](const Tasks& self) { return lapwing_tasks_process_rank(self.get()); })
      .def("processes", [](const Tasks& self, int task) { return lapwing_tasks_processes(self.get(), task); })
      .def("write_comm",
           [](const Tasks& self, std::uintptr_t address) {
             *reinterpret_cast<MPI_Comm*>(address) = lapwing_tasks_comm(self.get());
           })
      .def("index_lists",
           [](const Tasks& self, std::int64_t extent, nb::handle indices, const std::vector<int>& extents,
              const std::vector<int>& ranks, int grid_order, int grid_dimension) {
             const Buffer list(indices, false);
             const lapwing_grid grid{static_cast<int>(extents.size()), extents.data(), grid_order,
                                     ranks.empty() ? nullptr : ranks.data()};
             lapwing_index_lists* out = nullptr;
             check(released([&] {
               return lapwing_index_lists_create(extent, static_cast<const std::int64_t*>(list.data()),
                                                 list.elements(), extents.empty() ? nullptr : &grid,
                                                 grid_dimension, self.get(), &out);
             }));
             return std::make_unique<IndexLists>(out);
           })
      .def("strategy", [](Tasks& self, int strategy) { check(lapwing_tasks_strategy(self.get(), strategy)); })
      .def("time_steps",
           [](Tasks& self, bool on) { check(lapwing_tasks_time_steps(self.get(), on ? 1 : 0)); })
      .def("steps", [](const Tasks& self) {
        lapwing_array_steps steps{};
        check(lapwing_tasks_steps(self.get(), &steps));
        return std::vector<std::uint64_t>{steps.transfers,       steps.inquiry_ns,  steps.call_ns,
                                          steps.exchange_ns,     steps.schedule_ns, steps.packing_ns,
                                          steps.transmission_ns, steps.messages,    steps.bytes};
      });
  module.def("tasks_create", [](std::uintptr_t comm, int task) {
    lapwing_tasks* out = nullptr;
    check(released([&] { return lapwing_tasks_create(at<MPI_Comm>(comm), task, &out); }));
    return std::make_unique<Tasks>(out);
  });
  module.def("tasks_of_sizes", [](std::uintptr_t comm, const std::vector<int>& sizes) {
    lapwing_tasks* out = nullptr;
    check(released([&] {
      return lapwing_tasks_of_sizes(at<MPI_Comm>(comm), static_cast<int>(sizes.size()), sizes.data(), &out);
    }));
    return std::make_unique<Tasks>(out);
  });
  module.def("tasks_of_programs", [] {
    lapwing_tasks* out = nullptr;
    check(released([&] { return lapwing_tasks_of_programs(&out); }));
    return std::make_unique<Tasks>(out);
  });
  define_transfers(module, tasks);
  define_collectives(tasks);
}

}  // namespace lapwing::python
