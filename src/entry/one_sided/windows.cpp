// SPDX-License-Identifier: Apache-2.0
#include "entry/one_sided/windows.hpp"

#include "transfer/windows/deferred_accesses.hpp"
#include "transfer/windows/exposure.hpp"

namespace lapwing::entry {
namespace {

using sets::Operation;
using transfer::all_targets;
using transfer::DeferredAccesses;
using transfer::Exposure;

bool makes(Operation operation) {
  return operation >= Operation::win_create && operation <= Operation::win_create_dynamic;
}

bool synchronises_active_target(Operation operation) {
  return operation >= Operation::win_fence && operation <= Operation::win_test;
}

}  // namespace

bool is_access(const GroupSpec& group) {
  return group.operation >= Operation::put && group.operation <= Operation::compare_and_swap;
}

bool notes_window_call(const GroupSpec& group) {
  if (makes(group.operation) || group.operation == Operation::win_free ||
      synchronises_active_target(group.operation))
    return Exposure::allowed();
  if (!DeferredAccesses::allowed()) return false;
  switch (group.operation) {
    case Operation::win_lock:
    case Operation::win_lock_all:
    case Operation::win_unlock:
    case Operation::win_unlock_all:
      return true;
    case Operation::get:  // replaced
    case Operation::put:
      return false;
    default:
      return is_access(group);
  }
}

WindowCall::WindowCall(const GroupSpec& group, const Arguments& arguments)
    : group_(group), arguments_(arguments) {
  if (synchronises_active_target(group.operation)) Exposure::fenced();
  if (is_access(group))
    DeferredAccesses::accessed(arguments.win(group.win), arguments.integer(group.peer),
                               group.operation != Operation::get);
  if (group.operation == Operation::win_free) {
    void* const at = arguments.pointer(group.win);
    DeferredAccesses::freed(arguments.fortran() ? PMPI_Win_f2c(*static_cast<const MPI_Fint*>(at))
                                                : *static_cast<const MPI_Win*>(at));
  }
}

MPI_Win WindowCall::made_window() const {
  void* const at = arguments_.pointer(group_.new_win);
  return arguments_.fortran() ? PMPI_Win_f2c(*static_cast<const MPI_Fint*>(at))
                              : *static_cast<const MPI_Win*>(at);
}

void WindowCall::made() const {
  Exposure::made();
  DeferredAccesses::made(made_window(), arguments_.comm(group_.comm));
}

void WindowCall::returned(bool success, std::uint64_t took) {
  if (synchronises_active_target(group_.operation)) return Exposure::fenced();
  if (!success) return;
  switch (group_.operation) {
    case Operation::win_lock:
      return DeferredAccesses::locked(arguments_.win(group_.win), arguments_.integer(group_.peer));
    case Operation::win_lock_all:
      return DeferredAccesses::locked(arguments_.win(group_.win), all_targets);
    case Operation::win_unlock:
      return DeferredAccesses::synchronised(arguments_.win(group_.win), arguments_.integer(group_.peer),
                                            transfer::Completes::epoch, took);
    case Operation::win_unlock_all:
      return DeferredAccesses::synchronised(arguments_.win(group_.win), all_targets,
                                            transfer::Completes::epoch, took);
    case Operation::win_free:
      return Exposure::freed();
    default:
      if (makes(group_.operation)) made();
  }
}

}  // namespace lapwing::entry
