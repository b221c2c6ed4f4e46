// SPDX-License-Identifier: Apache-2.0
// The native part of the Python package: the C API of distributed arrays with owners
// for its handles. Python checks the caller's arguments and makes the sentences.
#pragma once

#include <mpi.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lapwing/arrays.h"

namespace lapwing::python {

namespace nb = nanobind;

/// Raises lapwing.ArrayError with the sentence of the last error.
void check(int error);

/// The memory of an object with the buffer protocol, for as long as this lives.
class Buffer {
 public:
  Buffer(nb::handle object, bool writable);
  ~Buffer() { PyBuffer_Release(&view_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  void* data() const { return view_.len > 0 ? view_.buf : nullptr; }
  std::int64_t elements() const { return view_.itemsize > 0 ? view_.len / view_.itemsize : 0; }
  std::int64_t bytes() const { return view_.len; }

 private:
  Py_buffer view_{};
};
using Memory = std::shared_ptr<Buffer>;

class Distribution {
 public:
  explicit Distribution(lapwing_distribution* handle) : handle_(handle) {}
  ~Distribution() { lapwing_distribution_free(&handle_); }
  Distribution(const Distribution&) = delete;
  Distribution& operator=(const Distribution&) = delete;
  const lapwing_distribution* get() const { return handle_; }
  int dimensions() const { return lapwing_distribution_dimensions(handle_); }

 private:
  lapwing_distribution* handle_;
};

class IndexLists {
 public:
  explicit IndexLists(lapwing_index_lists* handle) : handle_(handle) {}
  ~IndexLists() { lapwing_index_lists_free(&handle_); }
  IndexLists(const IndexLists&) = delete;
  IndexLists& operator=(const IndexLists&) = delete;
  const lapwing_index_lists* get() const { return handle_; }

 private:
  lapwing_index_lists* handle_;
};

/// A request, and the memory that its transfer uses.
class Request {
 public:
  ~Request();
  Request() = default;
  /// Frees it; memory that a transfer may still use is kept for ever.
  int let_go();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  lapwing_array_request* handle = nullptr;
  std::vector<Memory> memory;
};

class Tasks {
 public:
  explicit Tasks(lapwing_tasks* handle) : handle_(handle) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  lapwing_tasks* get() const { return handle_; }
  /// Collective, so never left to the garbage collector.
  void free() { check(lapwing_tasks_free(&handle_)); }

 private:
  lapwing_tasks* handle_;
};

/// task, tag, elements.
using Status = std::tuple<int, int, std::int64_t>;
inline Status status_of(const lapwing_array_status& status) {
  return {status.task, status.tag, status.elements};
}

/// MPI's handle of an mpi4py object, at the address that mpi4py names.
template <class Handle>
Handle at(std::uintptr_t address) {
  return *reinterpret_cast<Handle*>(address);
}

/// Runs a call of the C API without the interpreter's lock.
template <class Call>
int released(Call call) {
  nb::gil_scoped_release without;
  return call();
}

void define_distributions(nb::module_& module);
void define_tasks(nb::module_& module);
void define_transfers(nb::module_& module, nb::class_<Tasks>& tasks);
void define_requests(nb::module_& module);
void define_collectives(nb::class_<Tasks>& tasks);

}  // namespace lapwing::python
