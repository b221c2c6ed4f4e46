// SPDX-License-Identifier: Apache-2.0
// The C API of distributed arrays, part 3: transfers are started again and completed.
#include <fmt/format.h>

#include <cstring>

#include "arrays/schedules/drawing.hpp"
#include "arrays/schedules/index_list.hpp"
#include "arrays/transfers/progress.hpp"
#include "entry/arrays/arrays.hpp"
#include "entry/p2p/p2p.hpp"

namespace arrays = lapwing::arrays;
using arrays::Code;
using arrays::Progress;
using lapwing::entry::completed;
using lapwing::entry::refused;

namespace {

constexpr lapwing_array_status nothing{LAPWING_TASK_NULL, LAPWING_ANY_TAG, LAPWING_ARRAY_OK, 0};

void release(lapwing_array_request** request) {
  if ((*request)->handle->persistent()) return;
  delete *request;
  *request = nullptr;
}

bool pending(const lapwing_array_request* request) { return request && request->handle->begun(); }

// A call begins to wait for these: whether they were started just before.
void waits_begin(int count, lapwing_array_request* const* requests) {
  for (int i = 0; i < count; ++i)
    if (pending(requests[i])) requests[i]->handle->wait_begins();
}

// The sentence for schedules that no process can work out alone; null where one can.
const char* no_schedule(const lapwing_distribution* from, const lapwing_distribution* to) {
  const bool lists = has_lists(from->view->distribution) || has_lists(to->view->distribution);
  return lists ? "what index lists share is found out by a transfer; without one there is no schedule of "
                 "them to show"
               : nullptr;
}

// Why nothing can be said about a section of what the request receives.
const char* no_section(const lapwing_array_request* request, const int64_t* first, const int64_t* count) {
  if (!request->handle->receives()) return "the request does not receive an array";
  if (request->handle->arrays() != 1) return "the request receives several arrays: wait for all of them";
  return first && count ? nullptr : "the section is null";
}

}  // namespace

LAPWING_ENTRY int lapwing_array_start(lapwing_array_request* request) {
  return lapwing_array_startall(1, &request);
}

LAPWING_ENTRY int lapwing_array_startall(int count, lapwing_array_request* const* requests) {
  bool others = false, at_once = true;
  for (int i = 0; i < count; ++i) {
    if (!requests[i]) return refused(__func__, Code::argument, fmt::format("request {} is null", i));
    if (arrays::Error error = arrays::start(requests[i]->handle)) return arrays::report(__func__, error);
    others |= !requests[i]->handle->simple();
    at_once &= requests[i]->handle->unhurried() || requests[i]->handle->waited_for_at_once();
  }
  if (others) Progress::leave_to_helper(at_once);
  for (int i = 0; i < count; ++i) requests[i]->handle->start_ends();
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_wait(lapwing_array_request** request, struct lapwing_array_status* status) {
  if (!pending(*request)) {
    if (status) *status = nothing;
    return LAPWING_ARRAY_OK;
  }
  waits_begin(1, request);
  const arrays::Status result = arrays::wait((*request)->handle);
  release(request);
  return completed(__func__, result, status);
}

LAPWING_ENTRY int lapwing_array_waitall(int count, lapwing_array_request** requests,
                                        struct lapwing_array_status* statuses) {
  waits_begin(count, requests);
  int first = LAPWING_ARRAY_OK;
  for (int i = 0; i < count; ++i) {
    const int rc = lapwing_array_wait(&requests[i], statuses ? &statuses[i] : nullptr);
    if (first == LAPWING_ARRAY_OK) first = rc;
  }
  return first;
}

LAPWING_ENTRY int lapwing_array_waitany(int count, lapwing_array_request** requests, int* index,
                                        struct lapwing_array_status* status) {
  *index = -1;
  bool any = false;
  for (int i = 0; i < count; ++i) any |= pending(requests[i]);
  if (!any) {
    if (status) *status = nothing;
    return LAPWING_ARRAY_OK;
  }
  waits_begin(count, requests);
  Progress::wait([&] {
    for (int i = 0; i < count && *index < 0; ++i)
      if (pending(requests[i]) && requests[i]->handle->complete()) *index = i;
    return *index >= 0;
  });
  return lapwing_array_wait(&requests[*index], status);
}

LAPWING_ENTRY int lapwing_array_test(lapwing_array_request** request, int* done,
                                     struct lapwing_array_status* status) {
  arrays::Status result;
  *done = 1;
  if (!pending(*request)) {
    if (status) *status = nothing;
    return LAPWING_ARRAY_OK;
  }
  if (!arrays::test((*request)->handle, &result)) {
    *done = 0;
    return LAPWING_ARRAY_OK;
  }
  release(request);
  return completed(__func__, result, status);
}

LAPWING_ENTRY int lapwing_array_testall(int count, lapwing_array_request** requests, int* done,
                                        struct lapwing_array_status* statuses) {
  {
    const std::lock_guard guard(Progress::lock());
    Progress::advance();
    *done = 1;
    for (int i = 0; i < count; ++i)
      if (pending(requests[i]) && !requests[i]->handle->complete()) *done = 0;
  }
  return *done ? lapwing_array_waitall(count, requests, statuses) : static_cast<int>(LAPWING_ARRAY_OK);
}

LAPWING_ENTRY int lapwing_array_request_free(lapwing_array_request** request) {
  if (!request || !*request) return LAPWING_ARRAY_OK;
  if ((*request)->handle->persistent() && (*request)->handle->begun())
    return refused(__func__, Code::state, "the request has been started, and is not complete");
  // A request that is still watched is kept until it is idle.
  delete *request;
  *request = nullptr;
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_wait_section(lapwing_array_request* request, const int64_t* first,
                                             const int64_t* count) {
  if (!request) return LAPWING_ARRAY_OK;
  if (const char* why = no_section(request, first, count)) return refused(__func__, Code::argument, why);
  arrays::wait_landed(request->handle, first, count);
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_test_section(lapwing_array_request* request, const int64_t* first,
                                             const int64_t* count, int* landed) {
  if (!landed) return refused(__func__, Code::argument, "there is no place for the answer");
  *landed = 1;
  if (!request) return LAPWING_ARRAY_OK;
  if (const char* why = no_section(request, first, count)) return refused(__func__, Code::argument, why);
  *landed = arrays::test_landed(request->handle, first, count) ? 1 : 0;
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_progress(void) {
  const std::lock_guard guard(Progress::lock());
  Progress::advance();
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int lapwing_array_schedule_size(const lapwing_distribution* from,
                                              const lapwing_distribution* to, int rank,
                                              lapwing_schedule_size* size) {
  if (!from || !to || !size) return LAPWING_ARRAY_ERR_ARGUMENT;
  if (const char* why = no_schedule(from, to)) return refused(__func__, Code::argument, why);
  const auto a = arrays::Descriptor::of({from->view}), b = arrays::Descriptor::of({to->view});
  if (arrays::Error error = compare(*a, {0, 1 << 30}, *b, {1, 1 << 30}, 0)) {
    arrays::report(__func__, error);
    return static_cast<int>(error.code);
  }
  const arrays::View &out = *from->view, &in = *to->view;
  const auto made =
      arrays::Schedule::sending(out.distribution, out.section, rank, in.distribution, in.section);
  *size = {static_cast<std::int64_t>(made.pieces().size()), made.families(), made.elements()};
  return LAPWING_ARRAY_OK;
}

LAPWING_ENTRY int64_t lapwing_array_schedule(const lapwing_distribution* from, const lapwing_distribution* to,
                                             int rank, int form, char* text, int64_t room) {
  if (!from || !to) return -1;
  if (const char* why = no_schedule(from, to)) {
    refused(__func__, Code::argument, why);
    return -1;
  }
  const auto a = arrays::Descriptor::of({from->view}), b = arrays::Descriptor::of({to->view});
  if (arrays::Error error = compare(*a, {0, 1 << 30}, *b, {1, 1 << 30}, 0)) {
    arrays::report(__func__, error);
    return -1;
  }
  const arrays::View &out = *from->view, &in = *to->view;
  std::string whole;
  switch (form) {
    case LAPWING_SCHEDULE_TEXT:
      whole = to_text(
          arrays::Schedule::sending(out.distribution, out.section, rank, in.distribution, in.section));
      break;
    case LAPWING_SCHEDULE_ASCII:
      whole = draw_text(out.distribution, out.section, in.distribution, in.section);
      break;
    case LAPWING_SCHEDULE_SVG:
      whole = draw_svg(out.distribution, out.section, in.distribution, in.section);
      break;
    default:
      refused(__func__, Code::argument,
              fmt::format("form {} is unknown; see enum lapwing_schedule_form", form));
      return -1;
  }
  if (text && room > 0) {
    const auto length = std::min<std::size_t>(whole.size(), static_cast<std::size_t>(room) - 1);
    std::memcpy(text, whole.data(), length);
    text[length] = '\0';
  }
  return static_cast<int64_t>(whole.size());
}
