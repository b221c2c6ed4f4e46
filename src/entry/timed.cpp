// SPDX-License-Identifier: Apache-2.0
#include "entry/timed.hpp"

#include <mpi.h>

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "entry/arguments.hpp"
#include "entry/caller.hpp"
#include "entry/group_spec.hpp"
#include "entry/one_sided/windows.hpp"
#include "entry/sets/watched.hpp"
#include "entry/spec.hpp"
#include "transfer/accounts/accounts.hpp"
#include "transfer/accounts/record.hpp"
#include "transfer/decisions/overlap.hpp"
#include "transfer/engine.hpp"

namespace lapwing::entry {
namespace {

using transfer::Kind;

std::vector<std::atomic<void*>> originals;

// Fortran stubs begin with a resolver, which puts what it has found in our place.
void keep_our_place(unsigned index) {
  std::atomic_ref<void*> place(lapwing_entry_real[index]);
  void* const ours = lapwing_entry_timers[index].path;
  void* const found = place.load(std::memory_order_acquire);
  if (found == ours) return;
  originals[index].store(found, std::memory_order_release);
  place.store(ours, std::memory_order_release);
}

Kind kind_of(const char* name) {
  for (const char* part : {"Barrier", "barrier", "Win_", "File_", "Comm_free"})
    if (std::strstr(name, part)) return Kind::synchronisation;
  for (const char* part : {"educe", "can"})  // Reduce, Allreduce, Ireduce; Scan, Exscan
    if (std::strstr(name, part)) return Kind::reduction;
  return Kind::collective;
}

// Of the side that every process must give; of the other one where that is in place.
std::size_t bytes_of(const GroupSpec& group, const Arguments& a) {
  if (group.comm < 0 || group.by_address || group.peer_comm >= 0) return 0;
  const MPI_Comm comm = a.comm(group.comm);
  int inter = 1, size = 0;
  if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return 0;
  const bool scatters = std::strstr(group.name, "catter") && !std::strstr(group.name, "educe");
  const GroupData* data = scatters ? &group.receive : &group.send;
  if (data->buffer >= 0 && a.is_in_place(a.pointer(data->buffer)))
    data = scatters ? &group.send : &group.receive;
  if (data->buffer < 0 || data->types) return 0;
  const MPI_Datatype type = a.type(data->type);
  MPI_Count bytes = 0, count = 0;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS) return 0;
  if (!data->counts) {
    count = a.count(data->count);
  } else if (std::strstr(group.name, "eighbor") || PMPI_Comm_size(comm, &size) != MPI_SUCCESS) {
    return 0;
  }
  for (int i = 0; i < size; ++i) {
    const void* const counts = a.pointer(data->count);
    count += a.form() == Form::large ? static_cast<const MPI_Count*>(counts)[i]
                                     : static_cast<const int*>(counts)[i];
  }
  return count > 0 && bytes > 0 ? static_cast<std::size_t>(count * bytes) : 0;
}

MPI_Request request_made(const GroupSpec& group, const Arguments& a) {
  void* const at = a.pointer(group.request);
  if (!at) return MPI_REQUEST_NULL;
  return a.fortran() ? PMPI_Request_f2c(*static_cast<const MPI_Fint*>(at))
                     : *static_cast<const MPI_Request*>(at);
}

bool is_non_blocking(const Spec& spec) {
  if (spec.group < 0) return false;
  const GroupSpec& group = group_specs[spec.group];
  return group.request >= 0 && group.way == sets::Way::immediate;
}

const GroupSpec* group_of(const Spec& spec) { return spec.group >= 0 ? &group_specs[spec.group] : nullptr; }

// Accesses to windows return at once, so they are not timed.
bool takes_place(const Spec& spec, bool all) {
  const GroupSpec* const group = group_of(spec);
  if (group && notes_window_call(*group)) return true;
  return all ? !group || !is_access(*group) : is_non_blocking(spec) && !is_access(*group);
}

}  // namespace

void time_group_calls(bool all) {
  std::size_t count = 0;
  while (lapwing_entry_real[count]) ++count;
  originals = std::vector<std::atomic<void*>>(count);
  for (unsigned i = 0; i < count; ++i) {
    if (!lapwing_entry_timers[i].path) continue;
    if (!takes_place(specs[i], all)) continue;
    originals[i] = lapwing_entry_real[i];
    keep_our_place(i);
  }
}

}  // namespace lapwing::entry

using namespace lapwing;

/// As lapwing_entry_slow, for a stub whose real place has been taken.
extern "C" void* lapwing_entry_timed(unsigned index, const std::int64_t* registers,
                                     const std::int64_t* stack) {
  void* const original = entry::originals[index].load(std::memory_order_acquire);
  const entry::Spec& spec = entry::specs[index];
  const bool reports = transfer::Record::wanted();
  const char* const name = lapwing_entry_timers[index].name;
  const entry::GroupSpec* const group = entry::group_of(spec);
  const bool window = group && entry::notes_window_call(*group);
  const bool timed = reports && !(group && entry::is_access(*group));
  if (!timed && !window && !(transfer::Overlap::watches() && entry::is_non_blocking(spec))) return original;
  const entry::Arguments arguments(spec.form, registers, stack);
  std::optional<entry::WindowCall> window_call;
  if (window) window_call.emplace(*group, arguments);
  const void* const returns_to = reinterpret_cast<const void*>(stack[-1]);
  entry::note_fortran_caller(returns_to);  // a collective of the engine's asks who called this
  const transfer::Caller caller{entry::call_site(returns_to), name};
  const std::size_t bytes = group ? entry::bytes_of(*group, arguments) : 0;
  const transfer::Kind kind = entry::kind_of(name);
  const std::uint64_t begun = transfer::now_ns();
  const int result = lapwing_entry_call(original, registers, stack);
  const std::uint64_t ns = transfer::now_ns() - begun;
  lapwing_entry_result = result;
  entry::keep_our_place(index);
  if (window_call) window_call->returned(arguments.fortran() || result == MPI_SUCCESS, ns);
  if (!timed && window) return reinterpret_cast<void*>(&lapwing_entry_done);
  if (group && group->request >= 0 && (arguments.fortran() || result == MPI_SUCCESS)) {
    const bool persistent = group->way == sets::Way::persistent;
    const MPI_Request request = entry::request_made(*group, arguments);
    if (!persistent)
      transfer::Overlap::begun(request, caller.address, bytes, -1, transfer::Overlap::Kind::collective);
    if (reports) transfer::Accounts::started(request, caller, kind, bytes, false, persistent);
  } else {
    transfer::Accounts::called(caller, kind, bytes, ns);
  }
  return reinterpret_cast<void*>(&lapwing_entry_done);
}
