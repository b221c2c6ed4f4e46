// SPDX-License-Identifier: Apache-2.0
#include "sets/windows/window.hpp"

#include <fmt/format.h>

#include "sets/check/call_signature.hpp"
#include "sets/circle_make.hpp"
#include "sets/report/report.hpp"

namespace lapwing::sets {

Window::Window(Circle* circle, MPI_Win win, MPI_Comm comm) : circle_(circle) {
  void* value = nullptr;
  int given = 0;
  std::int64_t own[2] = {0, 1};
  const auto attribute = [&](int key) {
    return PMPI_Win_get_attr(win, key, &value, &given) == MPI_SUCCESS && given != 0;
  };
  if (attribute(MPI_WIN_CREATE_FLAVOR)) dynamic_ = *static_cast<int*>(value) == MPI_WIN_FLAVOR_DYNAMIC;
  if (attribute(MPI_WIN_SIZE)) own[0] = *static_cast<MPI_Aint*>(value);
  if (attribute(MPI_WIN_DISP_UNIT)) own[1] = *static_cast<int*>(value);
  const auto n = static_cast<std::size_t>(circle->size());
  std::vector<std::int64_t> all(2 * n);
  PMPI_Allgather(own, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm);
  for (std::size_t i = 0; i < n; ++i) parts_.push_back({all[2 * i], static_cast<int>(all[2 * i + 1])});
}

// MPI_PROC_NULL is a target in every epoch.
bool Window::may_access(int target) const {
  if (target == MPI_PROC_NULL && (started_ || is_passive())) return true;
  if (fence_ || lock_all_ || locks_.count(target) != 0) return true;
  return started_ && has(target) && started_to_.count(world_rank(target)) != 0;
}

bool Window::is_exclusive(int target) const {
  const auto found = locks_.find(target);
  return found != locks_.end() && found->second;
}

std::string Window::open_epoch() const {
  if (!is_passive() && !started_ && !posted_) return "";
  const Told& told = is_passive() ? locked_by_ : started_ ? started_by_ : posted_by_;
  return fmt::format("{} at {}", told.name, site_text(told));
}

std::string Window::complaint(const GroupCall& call) const {
  const bool locked = is_passive();
  const auto within = [this] { return fmt::format("stands in an epoch that {} has opened", open_epoch()); };
  switch (call.operation) {
    case Operation::win_fence:
    case Operation::win_free:
      if (!open_epoch().empty()) return within();
      if (call.operation == Operation::win_free && !under_way_.empty() && fence_)
        return fmt::format("ends the window, and no MPI_Win_fence has completed {} at {} before it",
                           under_way_.front().told.name, site_text(under_way_.front().told));
      return "";
    case Operation::win_start:
      return locked || started_ ? within() : "";
    case Operation::win_post:
      return posted_ ? within() : "";
    case Operation::win_complete:
      return started_ ? "" : "ends an epoch that no MPI_Win_start has opened";
    case Operation::win_wait:
    case Operation::win_test:
      return posted_ || tested_ ? "" : "ends an epoch that no MPI_Win_post has opened";
    case Operation::win_lock:
      if (locks_.count(call.peer) != 0) return "locks what this process has locked already";
      return lock_all_ || started_ ? within() : "";
    case Operation::win_lock_all:
      return locked || started_ ? within() : "";
    case Operation::win_unlock:
      return locks_.count(call.peer) != 0 ? "" : "unlocks what no MPI_Win_lock has locked";
    case Operation::win_unlock_all:
      return lock_all_ ? "" : "unlocks what no MPI_Win_lock_all has locked";
    case Operation::win_flush:
    case Operation::win_flush_local:
      return lock_all_ || locks_.count(call.peer) != 0 ? "" : "stands outside of an epoch of locks";
    case Operation::win_flush_all:
    case Operation::win_flush_local_all:
      return locked ? "" : "stands outside of an epoch of locks";
    default:
      if (!is_access(call.operation) || may_access(call.peer)) return "";
      if (!locks_.empty()) return fmt::format("uses rank {}, which this process has not locked", call.peer);
      if (started_) return fmt::format("uses rank {}, to which no MPI_Win_start leads", call.peer);
      return "stands outside of an epoch";
  }
}

void Window::follow(const GroupCall& call) {
  switch (call.operation) {
    case Operation::win_fence:
      fence_ = (call.mode & MPI_MODE_NOSUCCEED) == 0;
      return;
    case Operation::win_start: {
      started_ = true;
      started_by_ = told_of_call(call);
      fence_ = false;
      const std::vector<int> ranks = world_ranks(call.group);
      started_to_ = {ranks.begin(), ranks.end()};
      return;
    }
    case Operation::win_complete:
      started_ = false;
      return;
    case Operation::win_post:
      posted_ = true;
      posted_by_ = told_of_call(call);
      tested_ = false;
      return;
    case Operation::win_wait:
      posted_ = tested_ = false;
      return;
    case Operation::win_test:
      posted_ = false;
      tested_ = true;
      return;
    case Operation::win_lock:
      fence_ = false;
      locked_by_ = told_of_call(call);
      locks_[call.peer] = call.mode == MPI_LOCK_EXCLUSIVE;
      return;
    case Operation::win_unlock:
      locks_.erase(call.peer);
      return;
    case Operation::win_lock_all:
      fence_ = false;
      locked_by_ = told_of_call(call);
      lock_all_ = true;
      return;
    case Operation::win_unlock_all:
      lock_all_ = false;
      return;
    default:
      return;
  }
}

}  // namespace lapwing::sets
