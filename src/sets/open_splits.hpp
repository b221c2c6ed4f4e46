// SPDX-License-Identifier: Apache-2.0
// The open splits of one communicator in one process, and the current set that
// they leave. Knows no MPI.
//
// A level is what lies between a split and its last merge. Splits that share
// their last merge, in one activation of a function, share a level: a loop's
// exit that is met again, or several exits of one loop. Everything above such a
// split's level has been merged by then, because the closest merge of a split
// that lies inside comes before the closest merge of what is around it. For the
// same reason a merge before the last one concerns the latest split only.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "lapwing/compiled_sets.h"
#include "sets/votes/ballot.hpp"

namespace lapwing::sets {

/// Splits and merges that do not belong together; the sentence names the places.
class Misuse : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string describe(const lapwing_place& place);

/// Where in the program control is: an activation of a function in a thread.
struct Frame {
  unsigned thread = 0, depth = 0;
  bool operator==(const Frame&) const = default;
};

class alignas(64) Stack {
 public:
  explicit Stack(Set* all) : current_(all) {
    levels_.reserve(8);
    spare_.reserve(most_spare);
  }

  /// The process takes `branch`; `everywhere` if communication on others than this
  /// communicator lies in the scope. The ballot is to be started in the order of
  /// these calls, each once its voters are known.
  Ballot& split(Frame frame, const lapwing_split_site& site, int branch, bool everywhere = false);
  /// The same by hand: only merge_by_hand() ends it.
  Ballot& split_by_hand(Frame frame, const lapwing_place& place, int branches, int branch);

  void merge(Frame frame, const lapwing_merge_site* site);
  void merge_by_hand(const lapwing_place& place);
  /// Merges all that this activation, and what it has called, has split.
  void leave(Frame frame);

  Subset& current() { return current_; }
  /// Of the activation of the current set: no two splits share one, and a merge
  /// brings back the one from before.
  unsigned long long serial() const { return serial_; }
  /// Whether the set is the current one, or that of a split around it.
  bool active(const Set* set);
  /// Whether a split that concerns other communicators too is open.
  bool everywhere() const { return everywhere_ > 0; }
  bool divided() const { return !levels_.empty(); }
  std::size_t depth() const { return levels_.size(); }
  /// Of the innermost open split.
  const lapwing_place& place() const { return levels_.back().place(); }
  /// Of the innermost open split by hand; null if there is none.
  const lapwing_place* by_hand() const;

 private:
  struct Level {
    Frame frame;
    bool hand, everywhere;
    const lapwing_merge_site* last;
    const lapwing_split_site* site;  ///< of the latest split
    BallotRef ballot;                ///< its own
    Subset before;
    unsigned long long serial_before;
    const lapwing_place& place() const { return ballot->place; }
  };

  Ballot& vote(const lapwing_place& place, int branches, int branch);
  void pop();
  void refuse_if_hidden(Frame frame, const lapwing_merge_site* site) const;

  static constexpr std::size_t most_spare = 8;

  Subset current_;
  std::vector<Level> levels_;
  unsigned long long serial_ = 0, serials_ = 0;
  int everywhere_ = 0;
  std::vector<BallotRef> spare_;  ///< ballots; those in use among them
};

}  // namespace lapwing::sets
