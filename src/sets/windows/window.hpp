// SPDX-License-Identifier: Apache-2.0
// A window as a process that is checked knows it: how large it is everywhere, which epochs are open here,
// and which of its accesses are under way.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sets/check/buffer_watch.hpp"
#include "sets/check/in_flight.hpp"
#include "sets/group_call.hpp"
#include "sets/windows/access.hpp"

namespace lapwing::sets {

/// An access that is not complete. Its buffers may be the program's before its effect at the target is
/// certain.
struct UnderWay {
  int target = 0;          ///< a rank of the window
  std::size_t record = 0;  ///< in AccessRecord::list, if it is recorded
  bool recorded = false;
  InFlight::Ticket in_flight = nullptr;
  BufferWatch* watch = nullptr;
  Told told;
};

struct WindowPart {
  std::int64_t size = 0;
  int unit = 1;
};

class Window {
 public:
  static constexpr int all = -1;  ///< targets

  /// After it has been made, collective over `comm`.
  Window(Circle* circle, MPI_Win win, MPI_Comm comm);

  Circle& circle() const { return *circle_; }
  bool is_dynamic() const { return dynamic_; }
  /// Of the process with that rank.
  const WindowPart& part(int rank) const { return parts_[static_cast<std::size_t>(rank)]; }
  bool has(int rank) const { return rank >= 0 && static_cast<std::size_t>(rank) < parts_.size(); }
  int world_rank(int rank) const { return circle_->members[static_cast<std::size_t>(rank)]; }

  /// The mistake of a call that opens, closes or uses an epoch; "" if there is none.
  std::string complaint(const GroupCall& call) const;
  /// The call has been made, as MPI says.
  void follow(const GroupCall& call);
  /// An epoch that must be closed before the window ends: "MPI_Win_lock at solver.c:12"; "" if there is none.
  std::string open_epoch() const;
  /// Of an access that begins now.
  bool is_passive() const { return lock_all_ || !locks_.empty(); }
  bool is_exclusive(int target) const;

  std::vector<UnderWay>& under_way() { return under_way_; }

 private:
  bool may_access(int target) const;

  Circle* circle_;
  bool dynamic_ = false;
  std::vector<WindowPart> parts_;  // by rank
  bool fence_ = false, started_ = false, posted_ = false, lock_all_ = false;
  Told started_by_, posted_by_, locked_by_;  ///< the last calls that have opened such epochs
  bool tested_ = false;                      ///< whether MPI_Win_test has ended an exposure is not known
  std::set<int> started_to_;                 // world ranks
  std::map<int, bool> locks_;                // by rank: whether exclusive
  std::vector<UnderWay> under_way_;
};

}  // namespace lapwing::sets
