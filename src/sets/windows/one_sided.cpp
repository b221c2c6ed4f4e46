// SPDX-License-Identifier: Apache-2.0
#include "sets/windows/one_sided.hpp"

#include <memory>
#include <unordered_map>

#include "sets/check/areas.hpp"
#include "sets/check/call_signature.hpp"
#include "sets/check/mpi_errors.hpp"
#include "sets/check/p2p_watch.hpp"
#include "sets/check/pending.hpp"
#include "sets/check/type_signature.hpp"
#include "sets/messages.hpp"
#include "sets/orders/history.hpp"
#include "sets/report/report_text.hpp"
#include "sets/windows/access_log.hpp"
#include "sets/windows/footprint.hpp"
#include "sets/windows/locks.hpp"
#include "sets/windows/window.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::sets {
namespace {

std::unordered_map<std::uint64_t, std::unique_ptr<Window>>& windows =
    *new std::unordered_map<std::uint64_t, std::unique_ptr<Window>>;  // by circle
bool requests_made = false;

/// The access that is between before() and after().
struct {
  std::vector<Area> areas;
  std::vector<ByteRange> runs;
  BufferWatch* watch = nullptr;
} now;

Window* window_of(MPI_Win win) {
  if (!p2p_watched || win == MPI_WIN_NULL || windows.empty()) return nullptr;
  const Circle* circle = Circles::of(win);
  const auto found = circle ? windows.find(circle->id) : windows.end();
  return found == windows.end() ? nullptr : found->second.get();
}

Account account_of_call(const GroupCall& call, const Window& window) {
  Account account;
  account.rank = Messages::rank();
  account.call = call.name;
  account.site = site_text(told_of_call(call));
  account.group = window.circle().described();
  account.collective = true;
  return account;
}

/// The targets of a call that completes accesses; false if it completes none.
bool completes(const GroupCall& call, int* target) {
  *target = Window::all;
  switch (call.operation) {
    case Operation::win_unlock:
    case Operation::win_flush:
    case Operation::win_flush_local:
      *target = call.peer;
      return true;
    case Operation::win_fence:
    case Operation::win_free:
    case Operation::win_complete:
    case Operation::win_unlock_all:
    case Operation::win_flush_all:
    case Operation::win_flush_local_all:
      return true;
    default:
      return false;
  }
}

bool completes_there(Operation operation) {
  return operation != Operation::win_flush_local && operation != Operation::win_flush_local_all;
}

// The first run that is not within the target's part, if there is one.
const ByteRange* outside_run(const Window& window, int target, const std::vector<ByteRange>& runs) {
  if (window.is_dynamic() || !window.has(target)) return nullptr;
  for (const ByteRange& run : runs)
    if (run.begin < 0 || run.end() > window.part(target).size) return &run;
  return nullptr;
}

void add_area(const Data& data, bool written) {
  if (!data.given || !data.buffer) return;
  Area area = area_of(data.buffer, data.count(), data.type(), written);
  area.received = written;
  if (area.begin) now.areas.push_back(area);
}

std::vector<ByteRange> runs_at_target(const GroupCall& call, const Window& window) {
  bool known = false;
  std::vector<ByteRange> runs = footprint(call.target.count(), call.target.type(), &known);
  const std::int64_t unit = window.is_dynamic() || !window.has(call.peer) ? 1 : window.part(call.peer).unit;
  for (ByteRange& run : runs) run.begin += call.displacement * unit;
  return runs;
}

bool moves_data(Operation operation) {
  return operation == Operation::put || operation == Operation::get || operation == Operation::accumulate;
}

std::string amount_of(const Data& data) { return amount_text(data.count(), type_name(data.type())); }

// Both sides of an access must hold the same data; of bytes and of several basic types, as much.
bool fits(const Data& here, const Data& there) {
  if (here.count() < 0 || there.count() < 0) return true;  // MPI's to find
  if (here.type() == MPI_DATATYPE_NULL || there.type() == MPI_DATATYPE_NULL) return true;
  if (transfer::payload_bytes(here.count(), here.type()) !=
      transfer::payload_bytes(there.count(), there.type()))
    return false;
  const Element one = element_of(here.type()), other = element_of(there.type());
  return one.size <= 0 || other.size <= 0 || one.value == other.value;
}

void begin_access(const GroupCall& call, Window& window, Made* made) {
  now = {};
  if (call.peer == MPI_PROC_NULL) return;
  now.runs = runs_at_target(call, window);
  if (const ByteRange* run = outside_run(window, call.peer, now.runs))
    end_job_in_turn(beyond_window_finding(account_of_call(call, window), call.peer, run->begin, run->end(),
                                          window.part(call.peer).size));
  if (is_missing(call.receive) || (is_missing(call.send) && call.op != MPI_NO_OP))
    end_job_in_turn(no_buffer_finding(account_of_call(call, window)));
  if (const Data& moved = call.operation == Operation::get ? call.receive : call.send;
      moves_data(call.operation) && !fits(moved, call.target))
    end_job_in_turn(target_type_finding(account_of_call(call, window), amount_of(moved),
                                        call.operation == Operation::get, amount_of(call.target)));
  add_area(call.send, false);
  add_area(call.receive, true);
  InFlight::check(now.areas, told_of_call(call));
  if (!call.replaceable || !BufferWatch::wanted() || now.areas.empty()) return;
  now.watch = BufferWatch::collective({now.areas, true}, told_of_call(call));
  if (now.watch && call.receive.given)
    made->receive_instead = BufferWatch::landing(now.watch, call.receive.buffer);
}

void access_begun(const GroupCall& call, int result, const Made& made, Window& window) {
  if (result != MPI_SUCCESS || call.peer == MPI_PROC_NULL) {
    BufferWatch::finish(now.watch, 0);
    return;
  }
  UnderWay access;
  access.target = call.peer;
  access.told = told_of_call(call);
  if (window.has(call.peer)) access.recorded = AccessLog::begins(call, window, now.runs, &access.record);
  const InFlight::Ticket ticket = InFlight::hold(now.areas, told_of_call(call), made.request);
  if (made.request == MPI_REQUEST_NULL) {
    access.in_flight = ticket;
    access.watch = now.watch;
  } else {
    Pending pending;
    pending.kind = Pending::access;
    pending.circle = &window.circle();
    pending.peer = call.peer;
    pending.name = call.name;
    pending.returns_to = call.returns_to;
    pending.in_flight = ticket;
    pending.watch = now.watch;
    PendingRequests::add(made.request, pending);
    requests_made = true;
  }
  window.under_way().push_back(access);
}

void end_there(Window& window, int target) {
  for (const UnderWay& access : window.under_way())
    if (access.recorded && (target == Window::all || access.target == target)) AccessLog::ends(access.record);
}

// Their buffers are the program's again.
void end_here(const GroupCall& call, Window& window, int target) {
  const auto concerned = [&](int of) { return target == Window::all || of == target; };
  for (UnderWay& access : window.under_way()) {
    if (!concerned(access.target)) continue;
    InFlight::release(access.in_flight);
    BufferWatch::finish(access.watch, ~std::size_t{0});
    access.in_flight = nullptr;
    access.watch = nullptr;
  }
  if (completes_there(call.operation))
    std::erase_if(window.under_way(), [&](const UnderWay& access) { return concerned(access.target); });
  if (!requests_made) return;
  for (auto& [key, pending] : PendingRequests::all()) {
    if (pending.kind == Pending::access && pending.circle == &window.circle() && concerned(pending.peer))
      pending.finish(~std::size_t{0});
  }
}

}  // namespace

void OneSided::made(MPI_Win win, Circle* circle, MPI_Comm comm) {
  if (!p2p_watched || circle->inter) return;
  windows[circle->id] = std::make_unique<Window>(circle, win, comm);
}

void OneSided::before(const GroupCall& call, Made* made) {
  Window* window = window_of(call.win);
  if (!window) return;
  if (MpiErrors::reports_window(call.win)) {
    const std::string complaint = window->complaint(call);
    if (!complaint.empty()) end_job_in_turn(epoch_finding(account_of_call(call, *window), complaint));
  }
  if (is_access(call.operation)) return begin_access(call, *window, made);
  if (call.operation == Operation::win_lock) Locks::acquire(call, *window);
  // It may be waited for by way of the window's memory.
  if (call.operation == Operation::win_sync) Messages::progress();
  int target = Window::all;
  if (completes(call, &target) && completes_there(call.operation)) end_there(*window, target);
  // It may read what other processes have written, and they its own memory.
  if (call.operation == Operation::win_sync ||
      (call.operation == Operation::win_lock && call.peer == window->circle().me))
    AccessLog::looks(*window);
  if (call.operation == Operation::win_test) History::ends();  // whether it is the end is not seen
}

void OneSided::after(const GroupCall& call, int result, const Made& made) {
  Window* window = window_of(call.win);
  if (!window || call.operation == Operation::win_free) return;
  if (is_access(call.operation)) return access_begun(call, result, made, *window);
  if (call.operation == (result == MPI_SUCCESS ? Operation::win_unlock : Operation::win_lock))
    Locks::release(*window, call.peer);
  if (result != MPI_SUCCESS) return;
  int target = Window::all;
  if (completes(call, &target)) end_here(call, *window, target);
  window->follow(call);
}

void OneSided::freed(const Circle& circle) {
  const auto found = windows.find(circle.id);
  if (found == windows.end()) return;
  GroupCall call{};
  call.operation = Operation::win_free;
  end_here(call, *found->second, Window::all);
  windows.erase(found);
}

void OneSided::check_end() {
  for (const auto& [id, window] : windows) {
    const std::string opened_by = window->open_epoch();
    if (opened_by.empty()) continue;
    end_job_in_turn(open_epoch_finding(Messages::rank(), opened_by, window->circle().described()));
  }
}

}  // namespace lapwing::sets
