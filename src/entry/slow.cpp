// SPDX-License-Identifier: Apache-2.0
// The slow path of every generated stub. Where pages are closed, what the call
// is about to touch is retired before MPI sees it (rule 3). Where somebody
// watches the calls that groups make, they hear of it.
#include <mpi.h>

#include "entry/arguments.hpp"
#include "entry/sets/watched.hpp"
#include "entry/spec.hpp"
#include "guard/guard.hpp"
#include "mpi_fortran.hpp"
#include "transfer/operations.hpp"
#include "transfer/retire.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::entry {
namespace {

constexpr std::size_t scalar_bytes = 64;  // a handle, a count or a status

void retire(const Item& item, const void* address, std::size_t length) {
  if (item.writes) {
    transfer::retire_for_write(address, length);
  } else {
    transfer::retire_for_read(address, length);
  }
}

/// Returns false where only retiring everything is safe.
bool retire_item(const Spec& spec, const Item& item, const Arguments& arguments) {
  void* address = arguments.pointer(item.buffer);
  if (item.scalar) {
    if (address) retire(item, address, scalar_bytes);
    return true;
  }
  if (arguments.is_in_place(address)) return true;
  int processes = 1;
  if (item.per_process || item.root_only) {
    const MPI_Comm comm = arguments.comm(spec.comm);
    int inter = 0, rank = 0;
    if (comm == MPI_COMM_NULL) return false;
    // Which buffers count, and how often, differs between the two groups.
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return false;
    // Elsewhere the arguments may be anything, a type that is none included.
    if (item.root_only && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank != arguments.integer(spec.root))
      return true;
    if (item.per_process && PMPI_Comm_size(comm, &processes) != MPI_SUCCESS) return false;
  }
  const MPI_Count count = arguments.count(item.count);
  if (count <= 0) return true;
  if (arguments.is_bottom(address)) return false;
  const transfer::Span span = transfer::buffer_span(address, count * processes, arguments.type(item.type));
  retire(item, span.begin, span.length);
  return true;
}

void retire_for(const Spec& spec, const Arguments& arguments) {
  transfer::retire_frames();
  if (!spec.accesses_stay) transfer::retire_accesses();
  if (spec.action == Action::everything) {
    spec.accesses_stay ? transfer::retire_all_but_accesses() : transfer::retire_everything();
  } else if (spec.action == Action::check) {
    for (int i = 0; i < spec.item_count; ++i) {
      if (retire_item(spec, items[spec.first_item + i], arguments)) continue;
      transfer::retire_everything();
      break;
    }
  }
}

}  // namespace
}  // namespace lapwing::entry

using namespace lapwing;

/// Called by the stubs with the argument registers and the arguments on the
/// stack; returns where the call goes on.
extern "C" void* lapwing_entry_slow(unsigned index, const std::int64_t* registers,
                                    const std::int64_t* stack) {
  const entry::Spec& spec = entry::specs[index];
  if (guard::closed_regions.load(std::memory_order_relaxed) != 0) {
    entry::retire_for(spec, entry::Arguments(spec.form, registers, stack));
  }
  if (entry::is_watched(spec)) {
    entry::make_watched_call(index, registers, stack);
  } else if (entry::makes_watched_handle(spec)) {
    entry::make_handle_call(index, registers, stack);
  } else {
    return lapwing_entry_real[index];
  }
  return reinterpret_cast<void*>(&lapwing_entry_done);
}
