// SPDX-License-Identifier: Apache-2.0
#include "sets/check/freed_handles.hpp"

#include "sets/report/report_text.hpp"

namespace lapwing::sets {
namespace {

constexpr std::size_t most_freed = 100'000;

const char* freed_noun(HandleKind kind) {
  switch (kind) {
    case HandleKind::communicator:
      return "a communicator";
    case HandleKind::datatype:
      return "a datatype";
    case HandleKind::group:
      return "a group";
    case HandleKind::operation:
      return "an operation";
    case HandleKind::window:
      return "a window";
    case HandleKind::file:
      return "a file";
    case HandleKind::request:
      return "a request";
  }
  return "a handle";
}

}  // namespace

void FreedHandles::note_freed(HandleKind kind, std::uint64_t handle, const Told& by) {
  if (freed_.size() < most_freed) freed_[{kind, handle}] = by;
}

void FreedHandles::note_made(HandleKind kind, std::uint64_t handle) {
  if (!freed_.empty()) freed_.erase({kind, handle});
}

void FreedHandles::forget(HandleKind kind) {
  std::erase_if(freed_, [kind](const auto& freed) { return freed.first.first == kind; });
}

void FreedHandles::check(HandleKind kind, std::uint64_t handle, const Told& user) {
  const auto found = freed_.find({kind, handle});
  if (found == freed_.end()) return;
  end_job_in_turn(freed_finding(account_of_place(user), account_of_place(found->second), freed_noun(kind)));
}

void FreedHandles::check(const GroupCall& call, bool is_root, const Told& user) {
  if (freed_.empty()) return;
  if (call.op != MPI_OP_NULL) check(HandleKind::operation, call.op, user);
  const auto check_type = [&](const Data& data) {
    if (data.given && !data.types && data.buffer != MPI_IN_PLACE && data.one_type != MPI_DATATYPE_NULL)
      check(HandleKind::datatype, data.one_type, user);
  };
  if (!call.has_root || is_root || !takes_from_root(call.operation)) check_type(call.send);
  if (!call.has_root || is_root || !gives_to_root(call.operation)) check_type(call.receive);
  check_type(call.target);
}

}  // namespace lapwing::sets
