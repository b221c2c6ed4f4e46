// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

namespace lapwing::python {

namespace {

Memory reading(nb::handle object) { return std::make_shared<Buffer>(object, false); }
/// An argument that only the root of a collective gives; it may be None elsewhere.
Memory optional(nb::handle object, bool writable) {
  return object.is_none() ? nullptr : std::make_shared<Buffer>(object, writable);
}
void* data(const Memory& memory) { return memory ? memory->data() : nullptr; }
std::int64_t elements(const Memory& memory) { return memory ? memory->elements() : 0; }

}  // namespace

void define_collectives(nb::class_<Tasks>& tasks) {
  using Address = std::uintptr_t;
  tasks
      .def("barrier", [](Tasks& self) { check(released([&] { return lapwing_tasks_barrier(self.get()); })); })
      .def("plain_bcast",
           [](Tasks& self, nb::handle buffer, Address type, int root) {
             const Memory memory = optional(buffer, true);
             check(released([&] {
               return lapwing_tasks_bcast(data(memory), static_cast<int>(elements(memory)),
                                          at<MPI_Datatype>(type), root, self.get());
             }));
           })
      .def("plain_reduce",
           [](Tasks& self, nb::handle send, nb::handle recv, Address type, Address op, int root) {
             const Memory out = reading(send), in = optional(recv, true);
             check(released([&] {
               return lapwing_tasks_reduce(out->data(), data(in), static_cast<int>(out->elements()),
                                           at<MPI_Datatype>(type), at<MPI_Op>(op), root, self.get());
             }));
           })
      .def("plain_allreduce",
           [](Tasks& self, nb::handle send, nb::handle recv, Address type, Address op) {
             const Memory out = reading(send), in = optional(recv, true);
             check(released([&] {
               return lapwing_tasks_allreduce(out->data(), data(in), static_cast<int>(out->elements()),
                                              at<MPI_Datatype>(type), at<MPI_Op>(op), self.get());
             }));
           })
      .def("plain_gather",
           [](Tasks& self, nb::handle send, nb::handle recv, Address type, int root) {
             const Memory out = reading(send), in = optional(recv, true);
             check(released([&] {
               return lapwing_tasks_gather(out->data(), data(in), static_cast<int>(out->elements()),
                                           at<MPI_Datatype>(type), root, self.get());
             }));
           })
      .def("plain_scatter",
           [](Tasks& self, nb::handle send, nb::handle recv, Address type, int root) {
             const Memory out = optional(send, false), in = optional(recv, true);
             check(released([&] {
               return lapwing_tasks_scatter(data(out), data(in), static_cast<int>(elements(in)),
                                            at<MPI_Datatype>(type), root, self.get());
             }));
           })
      .def("plain_allgather",
           [](Tasks& self, nb::handle send, nb::handle recv, Address type) {
             const Memory out = reading(send), in = optional(recv, true);
             const auto count = static_cast<int>(out->elements());
             check(released([&] {
               return lapwing_tasks_allgather(out->data(), data(in), count, at<MPI_Datatype>(type),
                                              self.get());
             }));
           })
      .def("plain_alltoall",
           [](Tasks& self, nb::handle send, nb::handle recv, Address type) {
             const Memory out = reading(send), in = optional(recv, true);
             const auto count = static_cast<int>(out->elements() / lapwing_tasks_size(self.get()));
             check(released([&] {
               return lapwing_tasks_alltoall(out->data(), data(in), count, at<MPI_Datatype>(type),
                                             self.get());
             }));
           })
      .def("array_bcast",
           [](Tasks& self, nb::handle local, const Distribution& array, int root) {
             const Memory memory = optional(local, true);
             check(released([&] {
               return lapwing_array_bcast(data(memory), elements(memory), array.get(), root, self.get());
             }));
           })
      .def(
          "array_reduce",
          [](Tasks& self, nb::handle send, nb::handle recv, const Distribution& array, Address op, int root) {
            const Memory out = reading(send), in = optional(recv, true);
            check(released([&] {
              return lapwing_array_reduce(out->data(), data(in), out->elements(), array.get(), at<MPI_Op>(op),
                                          root, self.get());
            }));
          },
          nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg())
      .def("array_allreduce",
           [](Tasks& self, nb::handle send, nb::handle recv, const Distribution& array, Address op) {
             const Memory out = reading(send), in = optional(recv, true);
             check(released([&] {
               return lapwing_array_allreduce(out->data(), data(in), out->elements(), array.get(),
                                              at<MPI_Op>(op), self.get());
             }));
           })
      .def(
          "array_gather",
          [](Tasks& self, nb::handle local, const Distribution& array, nb::handle whole_local,
             const Distribution* whole, int root) {
            const Memory out = reading(local), in = optional(whole_local, true);
            check(released([&] {
              return lapwing_array_gather(out->data(), out->elements(), array.get(), data(in), elements(in),
                                          whole != nullptr ? whole->get() : nullptr, root, self.get());
            }));
          },
          nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg())
      .def(
          "array_scatter",
          [](Tasks& self, nb::handle whole_local, const Distribution* whole, nb::handle local,
             const Distribution& array, int root) {
            const Memory out = optional(whole_local, false), in = optional(local, true);
            check(released([&] {
              return lapwing_array_scatter(data(out), elements(out),
                                           whole != nullptr ? whole->get() : nullptr, data(in), elements(in),
                                           array.get(), root, self.get());
            }));
          },
          nb::arg().none(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg())
      .def("array_allgather",
           [](Tasks& self, nb::handle local, const Distribution& array, nb::handle whole_local,
              const Distribution& whole) {
             const Memory out = reading(local), in = optional(whole_local, true);
             check(released([&] {
               return lapwing_array_allgather(out->data(), out->elements(), array.get(), data(in),
                                              elements(in), whole.get(), self.get());
             }));
           })
      .def("array_alltoall",
           [](Tasks& self, nb::handle send, const Distribution& send_array, nb::handle recv,
              const Distribution& recv_array) {
             const Memory out = reading(send), in = optional(recv, true);
             check(released([&] {
               return lapwing_array_alltoall(out->data(), out->elements(), send_array.get(), data(in),
                                             elements(in), recv_array.get(), self.get());
             }));
           })
      .def("plan", [](Tasks& self, const Distribution& array, int root, int all) {
        const auto room = static_cast<std::size_t>(2 * lapwing_tasks_size(self.get()));
        std::vector<int> from(room), to(room);
        int steps = 0;
        check(released([&] {
          return lapwing_array_plan(array.get(), root, all, self.get(), &steps, from.data(), to.data());
        }));
        std::vector<std::tuple<int, int>> out;
        for (int i = 0; i < steps; ++i)
          out.emplace_back(from[static_cast<std::size_t>(i)], to[static_cast<std::size_t>(i)]);
        return out;
      });
}

}  // namespace lapwing::python
