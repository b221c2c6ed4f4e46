// SPDX-License-Identifier: Apache-2.0
// A window of the program's whose accesses may be deferred, as this process sees it: which targets this
// process has locked, and at which ones it has accesses that only MPI can complete.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

namespace lapwing::transfer {

/// The targets of a call: one process of the window's group, or all of them.
using Targets = std::optional<int>;
inline constexpr Targets all_targets = std::nullopt;

/// Calls under the engine's lock.
class Window {
 public:
  /// Of a window that has just been made on `comm`. Collective over it, since displacements count in units of
  /// the target's: nothing where these differ, or where a member does not belong to this job.
  static std::optional<Window> look_at(MPI_Win win, MPI_Comm comm);

  int world_rank(int target) const { return world_[static_cast<std::size_t>(target)]; }
  bool has(int target) const { return target >= 0 && static_cast<std::size_t>(target) < world_.size(); }
  /// Bytes of one displacement, at each target.
  std::size_t unit() const { return unit_; }

  MPI_Win handle() const { return handle_; }

  /// Epochs of a passive target: only in these may an access have a request of its own (MPI 4.0, 12.3.5).
  void lock(Targets targets);
  void unlock(Targets targets);
  bool is_locked(int target) const { return all_locked_ || locked_.count(target) != 0; }

  /// An access of MPI's own has begun: only MPI's flush, or the end of the epoch, completes it.
  void begin_get(int target) { gets_.insert(target); }
  void begin_change(int target) { changes_.insert(target); }
  /// All accesses are complete at this process, so that gets are over.
  void end_gets(Targets targets) { erase(gets_, targets); }
  /// They are complete at the targets too.
  void end_accesses(Targets targets);
  bool has_accesses(Targets targets) const { return meets(gets_, targets) || meets(changes_, targets); }
  /// A deferred put is complete at this process, and perhaps not at its target.
  void begin_put(int target) { puts_.insert(target); }
  bool has_puts(Targets targets) const { return meets(puts_, targets); }

 private:
  static void erase(std::set<int>& from, Targets targets);
  static bool meets(const std::set<int>& ranks, Targets targets) {
    return targets ? ranks.count(*targets) != 0 : !ranks.empty();
  }

  MPI_Win handle_ = MPI_WIN_NULL;
  std::vector<int> world_;  ///< ranks in MPI_COMM_WORLD
  std::size_t unit_ = 1;
  bool all_locked_ = false;
  std::set<int> locked_, gets_, changes_, puts_;
};

}  // namespace lapwing::transfer
