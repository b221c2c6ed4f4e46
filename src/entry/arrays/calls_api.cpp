// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 3: transfers are begun.
#include <fmt/format.h>

#include "arrays/transfers/progress.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using arrays::Handle;
using arrays::Operand;
using arrays::Progress;
using lapwing::entry::completed;
using lapwing::entry::hand_out;
using lapwing::entry::refused;
using lapwing::entry::view_of;

int lapwing::entry::completed(const char* routine, const arrays::Status& status, lapwing_array_status* out) {
  if (out) *out = {status.task, status.tag, static_cast<int>(status.error.code), status.elements};
  return arrays::report(routine, status.error);
}

int lapwing::entry::hand_out(Handle handle, const lapwing_distribution* array, bool persistent,
                             lapwing_array_request** request) {
  *request = nullptr;
  if (!handle) return LAPWING_ARRAY_OK;
  const auto dimensions = static_cast<int>(array ? array->view->distribution.dimensions.size() : 0);
  *request = new lapwing_array_request{std::move(handle), dimensions};
  if (!persistent) Progress::leave_to_helper();
  return LAPWING_ARRAY_OK;
}

namespace {

std::vector<Operand> operands(int count, const void* const* local, const int64_t* elements,
                              const lapwing_distribution* const* array) {
  std::vector<Operand> made;
  for (int i = 0; i < count; ++i) made.push_back({local[i], elements[i], view_of(array[i])});
  return made;
}

int finish(const char* routine, const Handle& handle, lapwing_array_status* status) {
  if (!handle) {
    if (status) *status = {LAPWING_TASK_NULL, LAPWING_ANY_TAG, LAPWING_ARRAY_OK, 0};
    return LAPWING_ARRAY_OK;
  }
  return completed(routine, arrays::wait(handle), status);
}

#define LAPWING_NEEDS(condition, what)                                                                \
  do {                                                                                                \
    if (!(condition)) return refused(__func__, Code::argument, what);                                 \
    if (arrays::Error error = lapwing::entry::mpi_is_there()) return arrays::report(__func__, error); \
  } while (false)

}  // namespace

LAPWING_ENTRY int lapwing_array_send(const void* local, int64_t elements, const lapwing_distribution* array,
                                     int dest, int tag, lapwing_tasks* tasks) {
  LAPWING_NEEDS(tasks, "the tasks are null");
  const Operand operand{local, elements, view_of(array)};
  return finish(__func__, arrays::begin_send(tasks->comm, {&operand, 1}, dest, tag, false), nullptr);
}

LAPWING_ENTRY int lapwing_array_recv(void* local, int64_t elements, const lapwing_distribution* array,
                                     int source, int tag, lapwing_tasks* tasks,
                                     struct lapwing_array_status* status) {
  LAPWING_NEEDS(tasks, "the tasks are null");
  const Operand operand{local, elements, view_of(array)};
  return finish(__func__, arrays::begin_receive(tasks->comm, {&operand, 1}, source, tag, false), status);
}

LAPWING_ENTRY int lapwing_array_sendrecv(const void* send_local, int64_t send_elements,
                                         const lapwing_distribution* send_array, int dest, int send_tag,
                                         void* recv_local, int64_t recv_elements,
                                         const lapwing_distribution* recv_array, int source, int recv_tag,
                                         lapwing_tasks* tasks, struct lapwing_array_status* status) {
  LAPWING_NEEDS(tasks, "the tasks are null");
  const Operand from{send_local, send_elements, view_of(send_array)};
  const Operand to{recv_local, recv_elements, view_of(recv_array)};
  const Handle receive = arrays::begin_receive(tasks->comm, {&to, 1}, source, recv_tag, false);
  const Handle send = arrays::begin_send(tasks->comm, {&from, 1}, dest, send_tag, false);
  const int received = finish(__func__, receive, status), sent = finish(__func__, send, nullptr);
  return received ? received : sent;
}

LAPWING_ENTRY int lapwing_array_isend(const void* local, int64_t elements, const lapwing_distribution* array,
                                      int dest, int tag, lapwing_tasks* tasks,
                                      lapwing_array_request** request) {
  return lapwing_array_isend_many(1, &local, &elements, &array, dest, tag, tasks, request);
}

LAPWING_ENTRY int lapwing_array_irecv(void* local, int64_t elements, const lapwing_distribution* array,
                                      int source, int tag, lapwing_tasks* tasks,
                                      lapwing_array_request** request) {
  return lapwing_array_irecv_many(1, &local, &elements, &array, source, tag, tasks, request);
}

LAPWING_ENTRY int lapwing_array_isend_many(int count, const void* const* local, const int64_t* elements,
                                           const lapwing_distribution* const* array, int dest, int tag,
                                           lapwing_tasks* tasks, lapwing_array_request** request) {
  LAPWING_NEEDS(tasks && request, "the tasks or the request are null");
  return hand_out(arrays::begin_send(tasks->comm, operands(count, local, elements, array), dest, tag, false),
                  count == 1 ? array[0] : nullptr, false, request);
}

LAPWING_ENTRY int lapwing_array_irecv_many(int count, void* const* local, const int64_t* elements,
                                           const lapwing_distribution* const* array, int source, int tag,
                                           lapwing_tasks* tasks, lapwing_array_request** request) {
  LAPWING_NEEDS(tasks && request, "the tasks or the request are null");
  return hand_out(
      arrays::begin_receive(tasks->comm, operands(count, local, elements, array), source, tag, false),
      count == 1 ? array[0] : nullptr, false, request);
}

LAPWING_ENTRY int lapwing_array_send_init(const void* local, int64_t elements,
                                          const lapwing_distribution* array, int dest, int tag,
                                          lapwing_tasks* tasks, lapwing_array_request** request) {
  LAPWING_NEEDS(tasks && request, "the tasks or the request are null");
  const Operand operand{local, elements, view_of(array)};
  return hand_out(arrays::begin_send(tasks->comm, {&operand, 1}, dest, tag, true), array, true, request);
}

LAPWING_ENTRY int lapwing_array_recv_init(void* local, int64_t elements, const lapwing_distribution* array,
                                          int source, int tag, lapwing_tasks* tasks,
                                          lapwing_array_request** request) {
  LAPWING_NEEDS(tasks && request, "the tasks or the request are null");
  const Operand operand{local, elements, view_of(array)};
  return hand_out(arrays::begin_receive(tasks->comm, {&operand, 1}, source, tag, true), array, true, request);
}

LAPWING_ENTRY int lapwing_array_redistribute(const void* from_local, int64_t from_elements,
                                             const lapwing_distribution* from, void* to_local,
                                             int64_t to_elements, const lapwing_distribution* to,
                                             lapwing_tasks* tasks) {
  LAPWING_NEEDS(tasks, "the tasks are null");
  const Handle handle = arrays::begin_within(tasks->comm, {from_local, from_elements, view_of(from)},
                                             {to_local, to_elements, view_of(to)}, false);
  return finish(__func__, handle, nullptr);
}

LAPWING_ENTRY int lapwing_array_iredistribute(const void* from_local, int64_t from_elements,
                                              const lapwing_distribution* from, void* to_local,
                                              int64_t to_elements, const lapwing_distribution* to,
                                              lapwing_tasks* tasks, lapwing_array_request** request) {
  LAPWING_NEEDS(tasks && request, "the tasks or the request are null");
  return hand_out(arrays::begin_within(tasks->comm, {from_local, from_elements, view_of(from)},
                                       {to_local, to_elements, view_of(to)}, false),
                  to, false, request);
}

LAPWING_ENTRY int lapwing_array_redistribute_init(const void* from_local, int64_t from_elements,
                                                  const lapwing_distribution* from, void* to_local,
                                                  int64_t to_elements, const lapwing_distribution* to,
                                                  lapwing_tasks* tasks, lapwing_array_request** request) {
  LAPWING_NEEDS(tasks && request, "the tasks or the request are null");
  return hand_out(arrays::begin_within(tasks->comm, {from_local, from_elements, view_of(from)},
                                       {to_local, to_elements, view_of(to)}, true),
                  to, true, request);
}

LAPWING_ENTRY int lapwing_array_bsend(const void* local, int64_t elements, const lapwing_distribution* array,
                                      int dest, int tag, lapwing_tasks* tasks) {
  LAPWING_NEEDS(tasks, "the tasks are null");
  const Handle failed = arrays::buffered_send(tasks->comm, {local, elements, view_of(array)}, dest, tag);
  Progress::leave_to_helper();
  return failed ? completed(__func__, failed->status(), nullptr) : static_cast<int>(LAPWING_ARRAY_OK);
}

LAPWING_ENTRY int lapwing_array_pack_size(const lapwing_distribution* array, const lapwing_tasks* tasks,
                                          int64_t* bytes) {
  LAPWING_NEEDS(array && tasks && bytes, "an argument is null");
  *bytes = arrays::buffered_size(*array->view, tasks->comm->rank());
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_buffer_attach(void* buffer, int64_t bytes) {
  return arrays::report(__func__, arrays::attach(buffer, bytes));
}

LAPWING_ENTRY int lapwing_array_buffer_detach(void** buffer, int64_t* bytes) {
  LAPWING_NEEDS(buffer && bytes, "an argument is null");
  return arrays::report(__func__, arrays::detach(buffer, bytes));
}
