// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

namespace lapwing::python {

namespace {

Memory reading(nb::handle object) { return std::make_shared<Buffer>(object, false); }
Memory writing(nb::handle object) { return std::make_shared<Buffer>(object, true); }

using Send = int (*)(const void*, int64_t, const lapwing_distribution*, int, int, lapwing_tasks*);
using Begin = int (*)(const void*, int64_t, const lapwing_distribution*, int, int, lapwing_tasks*,
                      lapwing_array_request**);
using BeginInto = int (*)(void*, int64_t, const lapwing_distribution*, int, int, lapwing_tasks*,
                          lapwing_array_request**);
using BeginWithin = int (*)(const void*, int64_t, const lapwing_distribution*, void*, int64_t,
                            const lapwing_distribution*, lapwing_tasks*, lapwing_array_request**);

template <Send call>
void send(Tasks& self, nb::handle local, const Distribution& array, int dest, int tag) {
  const Memory memory = reading(local);
  check(
      released([&] { return call(memory->data(), memory->elements(), array.get(), dest, tag, self.get()); }));
}

template <Begin call>
std::unique_ptr<Request> begin_send(Tasks& self, nb::handle local, const Distribution& array, int dest,
                                    int tag) {
  auto request = std::make_unique<Request>();
  const Memory memory = reading(local);
  request->memory.push_back(memory);
  check(released([&] {
    return call(memory->data(), memory->elements(), array.get(), dest, tag, self.get(), &request->handle);
  }));
  return request;
}

template <BeginInto call>
std::unique_ptr<Request> begin_recv(Tasks& self, nb::handle local, const Distribution& array, int source,
                                    int tag) {
  auto request = std::make_unique<Request>();
  const Memory memory = writing(local);
  request->memory.push_back(memory);
  check(released([&] {
    return call(memory->data(), memory->elements(), array.get(), source, tag, self.get(), &request->handle);
  }));
  return request;
}

template <BeginWithin call>
std::unique_ptr<Request> begin_within(Tasks& self, nb::handle from_local, const Distribution& from,
                                      nb::handle to_local, const Distribution& to) {
  auto request = std::make_unique<Request>();
  const Memory out = reading(from_local), in = writing(to_local);
  request->memory = {out, in};
  check(released([&] {
    return call(out->data(), out->elements(), from.get(), in->data(), in->elements(), to.get(), self.get(),
                &request->handle);
  }));
  return request;
}

using Transform = int (*)(int, const double*, const void*, int64_t, const lapwing_distribution*,
                          const double*, void*, int64_t, const lapwing_distribution*, lapwing_tasks*,
                          lapwing_array_request**);
using Scalar = std::complex<double>;

// A real and an imaginary part.
const double* parts_of(const Scalar& scalar) { return reinterpret_cast<const double*>(&scalar); }

void transform(Tasks& self, int op, Scalar alpha, nb::handle from_local, const Distribution& from,
               Scalar beta, nb::handle to_local, const Distribution& to) {
  const Memory out = reading(from_local), in = writing(to_local);
  check(released([&] {
    return lapwing_array_transform(op, parts_of(alpha), out->data(), out->elements(), from.get(),
                                   parts_of(beta), in->data(), in->elements(), to.get(), self.get());
  }));
}

template <Transform call>
std::unique_ptr<Request> begin_transform(Tasks& self, int op, Scalar alpha, nb::handle from_local,
                                         const Distribution& from, Scalar beta, nb::handle to_local,
                                         const Distribution& to) {
  auto request = std::make_unique<Request>();
  const Memory out = reading(from_local), in = writing(to_local);
  request->memory = {out, in};
  check(released([&] {
    return call(op, parts_of(alpha), out->data(), out->elements(), from.get(), parts_of(beta), in->data(),
                in->elements(), to.get(), self.get(), &request->handle);
  }));
  return request;
}

using Update = int (*)(void*, int64_t, const lapwing_distribution*, int, const int*, lapwing_tasks*);
using BeginUpdate = int (*)(void*, int64_t, const lapwing_distribution*, int, const int*, lapwing_tasks*,
                            lapwing_array_request**);

// No periods: none. Python has counted them.
const int* flags_of(const std::vector<int>& periodic) { return periodic.empty() ? nullptr : periodic.data(); }

template <Update call>
void update(Tasks& self, nb::handle local, const Distribution& array, int ghosts,
            const std::vector<int>& periodic) {
  const Memory memory = writing(local);
  check(released([&] {
    return call(memory->data(), memory->elements(), array.get(), ghosts, flags_of(periodic), self.get());
  }));
}

template <BeginUpdate call>
std::unique_ptr<Request> begin_update(Tasks& self, nb::handle local, const Distribution& array, int ghosts,
                                      const std::vector<int>& periodic) {
  auto request = std::make_unique<Request>();
  const Memory memory = writing(local);
  request->memory.push_back(memory);
  check(released([&] {
    return call(memory->data(), memory->elements(), array.get(), ghosts, flags_of(periodic), self.get(),
                &request->handle);
  }));
  return request;
}

template <class Pointer, class Call>
std::unique_ptr<Request> begin_many(const std::vector<Memory>& memory,
                                    const std::vector<const Distribution*>& arrays, Call call) {
  auto request = std::make_unique<Request>();
  request->memory = memory;
  std::vector<Pointer> local;
  std::vector<std::int64_t> elements;
  std::vector<const lapwing_distribution*> distributions;
  for (const Memory& one : memory) {
    local.push_back(one->data());
    elements.push_back(one->elements());
  }
  for (const Distribution* array : arrays) distributions.push_back(array->get());
  check(released([&] {
    return call(static_cast<int>(arrays.size()), local.data(), elements.data(), distributions.data(),
                &request->handle);
  }));
  return request;
}

std::unique_ptr<Request> isend_many(Tasks& self, const std::vector<nb::object>& local,
                                    const std::vector<const Distribution*>& arrays, int dest, int tag) {
  std::vector<Memory> memory;
  for (const nb::object& one : local) memory.push_back(reading(one));
  return begin_many<const void*>(
      memory, arrays, [&](int n, auto* pointers, auto* sizes, auto* what, auto** out) {
        return lapwing_array_isend_many(n, pointers, sizes, what, dest, tag, self.get(), out);
      });
}

std::unique_ptr<Request> irecv_many(Tasks& self, const std::vector<nb::object>& local,
                                    const std::vector<const Distribution*>& arrays, int source, int tag) {
  std::vector<Memory> memory;
  for (const nb::object& one : local) memory.push_back(writing(one));
  return begin_many<void*>(memory, arrays, [&](int n, auto* pointers, auto* sizes, auto* what, auto** out) {
    return lapwing_array_irecv_many(n, pointers, sizes, what, source, tag, self.get(), out);
  });
}

Status recv(Tasks& self, nb::handle local, const Distribution& array, int source, int tag) {
  const Memory memory = writing(local);
  lapwing_array_status status{};
  check(released([&] {
    return lapwing_array_recv(memory->data(), memory->elements(), array.get(), source, tag, self.get(),
                              &status);
  }));
  return status_of(status);
}

Status sendrecv(Tasks& self, nb::handle send_local, const Distribution& send_array, int dest, int send_tag,
                nb::handle recv_local, const Distribution& recv_array, int source, int recv_tag) {
  const Memory out = reading(send_local), in = writing(recv_local);
  lapwing_array_status status{};
  check(released([&] {
    return lapwing_array_sendrecv(out->data(), out->elements(), send_array.get(), dest, send_tag, in->data(),
                                  in->elements(), recv_array.get(), source, recv_tag, self.get(), &status);
  }));
  return status_of(status);
}

void redistribute(Tasks& self, nb::handle from_local, const Distribution& from, nb::handle to_local,
                  const Distribution& to) {
  const Memory out = reading(from_local), in = writing(to_local);
  check(released([&] {
    return lapwing_array_redistribute(out->data(), out->elements(), from.get(), in->data(), in->elements(),
                                      to.get(), self.get());
  }));
}

void write_file(Tasks& self, const std::string& path, std::int64_t offset, nb::handle local,
                const Distribution& array) {
  const Memory memory = reading(local);
  check(released([&] {
    return lapwing_array_write(path.c_str(), offset, memory->data(), memory->elements(), array.get(),
                               self.get());
  }));
}

void read_file(Tasks& self, const std::string& path, std::int64_t offset, nb::handle local,
               const Distribution& array) {
  const Memory memory = writing(local);
  check(released([&] {
    return lapwing_array_read(path.c_str(), offset, memory->data(), memory->elements(), array.get(),
                              self.get());
  }));
}

void write_dataset(Tasks& self, const std::string& path, const std::string& dataset, nb::handle local,
                   const Distribution& array) {
  const Memory memory = reading(local);
  check(released([&] {
    return lapwing_array_write_hdf5(path.c_str(), dataset.c_str(), memory->data(), memory->elements(),
                                    array.get(), self.get());
  }));
}

void read_dataset(Tasks& self, const std::string& path, const std::string& dataset, nb::handle local,
                  const Distribution& array) {
  const Memory memory = writing(local);
  check(released([&] {
    return lapwing_array_read_hdf5(path.c_str(), dataset.c_str(), memory->data(), memory->elements(),
                                   array.get(), self.get());
  }));
}

// The buffer of buffered sends: one in a process, as in MPI.
Memory attached;

}  // namespace

void define_transfers(nb::module_& module, nb::class_<Tasks>& tasks) {
  tasks.def("send", &send<lapwing_array_send>)
      .def("bsend", &send<lapwing_array_bsend>)
      .def("recv", &recv)
      .def("sendrecv", &sendrecv)
      .def("isend", &begin_send<lapwing_array_isend>)
      .def("irecv", &begin_recv<lapwing_array_irecv>)
      .def("isend_many", &isend_many)
      .def("irecv_many", &irecv_many)
      .def("send_init", &begin_send<lapwing_array_send_init>)
      .def("recv_init", &begin_recv<lapwing_array_recv_init>)
      .def("redistribute", &redistribute)
      .def("iredistribute", &begin_within<lapwing_array_iredistribute>)
      .def("redistribute_init", &begin_within<lapwing_array_redistribute_init>)
      .def("write", &write_file)
      .def("read", &read_file)
      .def("write_hdf5", &write_dataset)
      .def("read_hdf5", &read_dataset)
      .def("transform", &transform)
      .def("itransform", &begin_transform<lapwing_array_itransform>)
      .def("transform_init", &begin_transform<lapwing_array_transform_init>)
      .def("update_ghosts", &update<lapwing_array_update_ghosts>)
      .def("iupdate_ghosts", &begin_update<lapwing_array_iupdate_ghosts>)
      .def("update_ghosts_init", &begin_update<lapwing_array_update_ghosts_init>)
      .def("add_ghosts", &update<lapwing_array_add_ghosts>)
      .def("iadd_ghosts", &begin_update<lapwing_array_iadd_ghosts>)
      .def("add_ghosts_init", &begin_update<lapwing_array_add_ghosts_init>)
      .def("pack_size", [](const Tasks& self, const Distribution& array) {
        std::int64_t bytes = 0;
        check(lapwing_array_pack_size(array.get(), self.get(), &bytes));
        return bytes;
      });
  module.def("buffer_attach", [](nb::handle buffer) {
    const Memory memory = writing(buffer);
    check(lapwing_array_buffer_attach(memory->data(), memory->bytes()));
    attached = memory;
  });
  module.def("buffer_detach", [] {
    void* buffer = nullptr;
    std::int64_t bytes = 0;
    check(released([&] { return lapwing_array_buffer_detach(&buffer, &bytes); }));
    attached.reset();
  });
  module.def("progress", [] { check(lapwing_array_progress()); });
}

}  // namespace lapwing::python
