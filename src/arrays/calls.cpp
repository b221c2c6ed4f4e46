// SPDX-License-Identifier: Apache-2.0
#include "arrays/calls.hpp"

#include <fmt/format.h>

#include "arrays/transfers/progress.hpp"
#include "transfer/retire.hpp"

namespace lapwing::arrays {
void open_memory(const Operand& array) {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0 || !array.view || array.elements <= 0)
    return;
  const std::int64_t bytes = array.elements * array.view->distribution.element_bytes();
  transfer::retire_overlapping(array.local, static_cast<std::size_t>(bytes));
}

namespace {

constexpr int no_task = -2;  // LAPWING_TASK_NULL

const char* const routines[] = {"a send of arrays", "a receive of arrays", "a redistribution",
                                "an update of ghosts"};

// The first error of the operands on this process.
Error check(const TaskComm& comm, std::span<const Operand> arrays) {
  for (const Operand& array : arrays) {
    open_memory(array);
    if (!array.view) return {Code::argument, "a distribution is null"};
    if (Error error =
            check_local(*array.view, comm.party(comm.task()), comm.rank(), array.local, array.elements))
      return error;
  }
  return {};
}

Error check_ghosts(const TaskComm& comm, const View& view, const GhostUpdate& update) {
  std::string why = validate(update, view.distribution);
  if (why.empty() && !(filled(view.section, view.distribution) == filled({}, view.distribution)))
    why = fmt::format("a section of {} has no ghosts of its own; give the whole array",
                      describe(view.distribution));
  if (why.empty()) return {};
  return {Code::argument, fmt::format("task {}, rank {}: {}", comm.task(), comm.rank(), why)};
}

// The description of what travels; made once for each list of arrays that is
// given again and again.
std::shared_ptr<const Descriptor> describe(std::span<const Operand> arrays) {
  thread_local std::shared_ptr<const Descriptor> recent[2];
  for (const auto& known : recent) {
    if (!known || known->views.size() != arrays.size()) continue;
    bool same = true;
    for (std::size_t i = 0; i < arrays.size(); ++i) same &= known->views[i] == arrays[i].view;
    if (same) return known;
  }
  std::vector<std::shared_ptr<const View>> views;
  for (const Operand& array : arrays)
    if (array.view) views.push_back(array.view);
  recent[1] = std::move(recent[0]);
  recent[0] = Descriptor::of(std::move(views));
  return recent[0];
}

std::vector<char*> addresses(std::span<const Operand> arrays) {
  std::vector<char*> local;
  for (const Operand& array : arrays) local.push_back(static_cast<char*>(const_cast<void*>(array.local)));
  return local;
}

Handle begin(Request::Call call) {
  if (call.error && !errors_return) report(routines[static_cast<int>(call.kind)], call.error);
  const bool persistent = call.persistent;
  auto request = std::make_shared<Request>(std::move(call));
  {
    const std::lock_guard guard(Progress::lock());
    request->begin();
    Progress::watch(request);
    if (!persistent) Progress::advance();
  }
  return request;
}

Handle begin_between(Request::Kind kind, const std::shared_ptr<TaskComm>& comm,
                     std::span<const Operand> arrays, int partner, int tag, bool persistent,
                     const Error& found = {}) {
  if (partner == no_task) return nullptr;
  const std::uint64_t begin_time = comm->steps.now();
  Request::Call call{kind, comm};
  call.partner = partner;
  call.tag = tag;
  call.persistent = persistent;
  call.error = found ? found : check(*comm, arrays);
  call.descriptor = describe(arrays);
  call.local = addresses(arrays);
  const bool receives = kind == Request::Kind::receive;
  if (!call.error) {
    if (!comm->has(partner) && !(receives && partner == any && !persistent)) {
      call.error = comm->no_task(partner);
      if (partner == any) call.error = {Code::argument, "a persistent receive names its task"};
    } else if (partner == comm->task()) {
      call.error = {Code::task, fmt::format("task {}, rank {}: a task does not send to itself; "
                                            "lapwing_array_redistribute() moves arrays within a task",
                                            partner, comm->rank())};
    } else if (tag < 0 && !(receives && tag == any && !persistent)) {
      call.error = {Code::argument, fmt::format("the tag is {}", tag)};
    } else if (arrays.empty()) {
      call.error = {Code::argument, "there is no array to transfer"};
    }
  }
  comm->steps.add(&StepTimes::inquiry, begin_time);
  return begin(std::move(call));
}

Status take(const Handle& request) {
  Status status = request->status();
  if (request->persistent()) request->settle();
  return status;
}

}  // namespace

Handle begin_send(const std::shared_ptr<TaskComm>& comm, std::span<const Operand> arrays, int dest, int tag,
                  bool persistent, const Error& found) {
  return begin_between(Request::Kind::send, comm, arrays, dest, tag, persistent, found);
}

Handle begin_receive(const std::shared_ptr<TaskComm>& comm, std::span<const Operand> arrays, int source,
                     int tag, bool persistent) {
  return begin_between(Request::Kind::receive, comm, arrays, source, tag, persistent);
}

namespace {

Request::Call within_call(const std::shared_ptr<TaskComm>& comm, const Operand& from, const Operand& to,
                          bool persistent, const Error& found) {
  const std::uint64_t begin_time = comm->steps.now();
  Request::Call call{Request::Kind::within, comm};
  call.partner = comm->task();
  call.persistent = persistent;
  const Operand both[] = {from, to};
  call.error = found ? found : check(*comm, both);
  call.descriptor = describe(std::span(both, 1));
  call.to = describe(std::span(both + 1, 1));
  call.local = addresses(std::span(both, 1));
  call.to_local = addresses(std::span(both + 1, 1));
  comm->steps.add(&StepTimes::inquiry, begin_time);
  return call;
}

}  // namespace

Handle begin_within(const std::shared_ptr<TaskComm>& comm, const Operand& from, const Operand& to,
                    bool persistent) {
  return begin(within_call(comm, from, to, persistent, {}));
}

Handle begin_transform(const std::shared_ptr<TaskComm>& comm, const Operand& from, const Operand& to,
                       const Transform& transform, bool persistent, const Error& found) {
  Request::Call call = within_call(comm, from, to, persistent, found);
  call.transform = transform;
  return begin(std::move(call));
}

namespace {

Request::Call ghosts_call(const std::shared_ptr<TaskComm>& comm, const Operand& array, GhostUpdate update,
                          const Error& found) {
  const std::uint64_t begin_time = comm->steps.now();
  Request::Call call{Request::Kind::ghosts, comm};
  call.partner = comm->task();
  call.error = found ? found : check(*comm, {&array, 1});
  if (!call.error) call.error = check_ghosts(*comm, *array.view, update);
  call.update = std::move(update);
  call.descriptor = describe({&array, 1});
  call.local = addresses({&array, 1});
  comm->steps.add(&StepTimes::inquiry, begin_time);
  return call;
}

// Null where no equal call is kept, or another thread is in it.
Handle start_kept(TaskComm& comm, const BlockingUpdate& call) {
  const std::lock_guard guard(Progress::lock());
  Handle kept = comm.kept_updates().find(call);
  if (!kept || kept->begun()) return nullptr;
  comm.next_call();  // as on processes that keep nothing
  kept->start();
  Progress::watch(kept);
  return kept;
}

}  // namespace

Handle begin_ghosts(const std::shared_ptr<TaskComm>& comm, const Operand& array, GhostUpdate update,
                    bool persistent, const Error& found) {
  Request::Call call = ghosts_call(comm, array, std::move(update), found);
  call.persistent = persistent;
  return begin(std::move(call));
}

Status update_ghosts(const std::shared_ptr<TaskComm>& comm, const Operand& array, GhostUpdate update,
                     const Error& found) {
  open_memory(array);
  const BlockingUpdate same{array.view, array.local, array.elements, comm->strategy, std::move(update)};
  // Where errors are returned, the processes of the task agree on each call.
  const bool may_be_kept = array.view && !found && !errors_return;
  if (may_be_kept)
    if (const Handle kept = start_kept(*comm, same)) return wait(kept);
  Request::Call call = ghosts_call(comm, array, same.update, found);
  call.blocking = true;
  if (may_be_kept) {
    const std::lock_guard guard(Progress::lock());
    call.persistent = comm->kept_updates().is_repeated(same);
  }
  const Handle request = begin(std::move(call));
  if (!request->persistent()) return wait(request);
  start(request);
  const Status status = wait(request);
  const std::lock_guard guard(Progress::lock());
  comm->kept_updates().keep(same, request->prepared() ? request : nullptr);
  return status;
}

Error start(const Handle& request) {
  request->open_memory();
  const std::lock_guard guard(Progress::lock());
  if (Error error = request->start()) return error;
  Progress::watch(request);
  return {};
}

Status wait(const Handle& request) {
  if (!request->begun()) return {};  // persistent, and not started
  if (request->persistent()) Progress::wait_in_mpi(request);
  Progress::wait([&] { return request->complete(); });
  return take(request);
}

bool test(const Handle& request, Status* status) {
  const std::lock_guard guard(Progress::lock());
  if (!request->begun()) return true;
  if (!request->complete()) Progress::advance();
  if (!request->complete()) return false;
  *status = take(request);
  return true;
}

void wait_landed(const Handle& request, const std::int64_t* first, const std::int64_t* count) {
  if (!request->begun()) return;
  Progress::wait([&] { return request->landed(first, count); });
}

bool test_landed(const Handle& request, const std::int64_t* first, const std::int64_t* count) {
  const std::lock_guard guard(Progress::lock());
  if (!request->begun() || request->landed(first, count)) return true;
  Progress::advance();
  return request->landed(first, count);
}

}  // namespace lapwing::arrays
