// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

namespace lapwing::python {

void check(int error) {
  if (error == LAPWING_ARRAY_OK) return;
  const nb::object kind = nb::module_::import_("lapwing.errors").attr("ArrayError");
  const nb::tuple words = nb::make_tuple(error, lapwing_array_error_string());
  PyErr_SetObject(kind.ptr(), words.ptr());
  throw nb::python_error();
}

Buffer::Buffer(nb::handle object, bool writable) {
  const int wanted = PyBUF_ANY_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
  if (PyObject_GetBuffer(object.ptr(), &view_, wanted) != 0) throw nb::python_error();
}

int Request::let_go() {
  int done = 1;
  if (handle != nullptr) lapwing_array_test(&handle, &done, nullptr);
  if (done == 0)
    for (const Memory& kept : memory) new Memory(kept);
  memory.clear();
  return handle != nullptr ? lapwing_array_request_free(&handle) : LAPWING_ARRAY_OK;
}

Request::~Request() {
  int finalized = 0;
  MPI_Finalized(&finalized);  // the engine's, which asks the MPI of the process
  if (finalized == 0) let_go();
}

}  // namespace lapwing::python

NB_MODULE(LAPWING_CORE, module) {
  using namespace lapwing::python;
  // Requests that live until the interpreter ends are none of the user's errors.
  nb::set_leak_warnings(false);
  define_distributions(module);
  define_requests(module);
  define_tasks(module);
  module.def("errors_return", [](bool on) { return lapwing_array_errors_return(on ? 1 : 0) != 0; });
}
