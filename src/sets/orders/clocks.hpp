// SPDX-License-Identifier: Apache-2.0
// The knowledge that each process had of the others at some places of its record: the acts of each that had
// happened before, by messages and collective calls (the clocks of vector-clock algorithms).
//
// Where something is not known, the process is held to have known everything: a search for two things
// that nothing orders then finds none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sets/orders/rerun.hpp"

namespace lapwing::sets {

class Clocks {
 public:
  /// By rank: of how many acts of that process it knows. Empty: it never came there.
  using Known = std::vector<std::uint32_t>;
  static constexpr std::uint32_t everything = ~0u;

  /// `places`: for each process numbers of acts before which its knowledge is wanted, ascending. Both live as
  /// long as this.
  Clocks(const std::vector<Acts>& all, const std::vector<std::vector<std::uint32_t>>& places);

  /// Of `rank` at the `i`th of its places.
  const Known& at(int rank, std::size_t i) const { return known_[static_cast<std::size_t>(rank)][i]; }

 private:
  using Meeting = std::pair<std::uint64_t, std::uint64_t>;
  struct Process {
    std::uint32_t next = 0;
    std::size_t next_place = 0;
    bool in_call = false;
    Known now;
  };
  struct Met {
    int come = 0;
    Known known;
  };

  bool advance(int rank);
  bool passes(int rank, const Act& act);
  bool learn_message(int rank, ActPlace message);
  bool learn_meeting(int rank, const Act& act, bool waits);
  void learn_all(int rank);
  void note_places(int rank);
  static void join(Known* known, const Known& other);

  const std::vector<Acts>& all_;
  const std::vector<std::vector<std::uint32_t>>& places_;
  Rerun recorded_;
  std::vector<Process> processes_;
  std::vector<std::vector<Known>> known_;
  std::map<std::pair<int, std::uint32_t>, Known>
      told_;  // what travels with a message, until it is waited for
  std::map<Meeting, Met> met_;
};

}  // namespace lapwing::sets
