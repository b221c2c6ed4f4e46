// SPDX-License-Identifier: Apache-2.0
#include "core.hpp"

namespace lapwing::python {

namespace {

using Requests = std::vector<Request*>;
using Handles = std::vector<lapwing_array_request*>;

Handles handles_of(const Requests& requests) {
  Handles out;
  for (const Request* request : requests) out.push_back(request->handle);
  return out;
}

// A request that is complete lets go of its memory.
void take_back(const Requests& requests, const Handles& handles) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i]->handle = handles[i];
    if (handles[i] == nullptr) requests[i]->memory.clear();
  }
}

std::vector<Status> statuses_of(const std::vector<lapwing_array_status>& statuses) {
  std::vector<Status> out;
  for (const lapwing_array_status& status : statuses) out.push_back(status_of(status));
  return out;
}

std::vector<Status> waitall(const Requests& requests) {
  Handles handles = handles_of(requests);
  std::vector<lapwing_array_status> statuses(requests.size());
  const int error = released([&] {
    return lapwing_array_waitall(static_cast<int>(handles.size()), handles.data(), statuses.data());
  });
  take_back(requests, handles);
  check(error);
  return statuses_of(statuses);
}

std::tuple<int, Status> waitany(const Requests& requests) {
  Handles handles = handles_of(requests);
  int index = -1;
  lapwing_array_status status{};
  const int error = released([&] {
    return lapwing_array_waitany(static_cast<int>(handles.size()), handles.data(), &index, &status);
  });
  take_back(requests, handles);
  check(error);
  return {index, status_of(status)};
}

std::optional<std::vector<Status>> testall(const Requests& requests) {
  Handles handles = handles_of(requests);
  std::vector<lapwing_array_status> statuses(requests.size());
  int done = 0;
  const int error = released([&] {
    return lapwing_array_testall(static_cast<int>(handles.size()), handles.data(), &done, statuses.data());
  });
  take_back(requests, handles);
  check(error);
  if (done == 0) return std::nullopt;
  return statuses_of(statuses);
}

void startall(const Requests& requests) {
  const Handles handles = handles_of(requests);
  check(released([&] { return lapwing_array_startall(static_cast<int>(handles.size()), handles.data()); }));
}

}  // namespace

void define_requests(nb::module_& module) {
  nb::class_<Request>(module, "Request")
      .def("wait_section",
           [](Request& self, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count) {
             check(released(
                 [&] { return lapwing_array_wait_section(self.handle, first.data(), count.data()); }));
           })
      .def("test_section",
           [](Request& self, const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& count) {
             int landed = 0;
             check(released([&] {
               return lapwing_array_test_section(self.handle, first.data(), count.data(), &landed);
             }));
             return landed != 0;
           })
      .def("free", [](Request& self) { check(self.let_go()); })
      .def("pending", [](const Request& self) { return self.handle != nullptr; });
  module.def("waitall", &waitall);
  module.def("waitany", &waitany);
  module.def("testall", &testall);
  module.def("startall", &startall);
}

}  // namespace lapwing::python
