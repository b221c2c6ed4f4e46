// SPDX-License-Identifier: Apache-2.0
// The sets that MPI's sessions show as process sets, and the order in which a session lists them.
// Knows no MPI.
//
// MPI lets the list grow, but an index keeps its name and a name its processes for as long as the
// program runs. MPI's own list may grow as well, so an index leads to one of MPI's or one of these.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lapwing::sets {

struct ProcessSet {
  std::string name;
  std::vector<int> ranks;  ///< in MPI_COMM_WORLD, ascending
};

class ProcessSets {
 public:
  /// Longest name, without its end: what every MPI's MPI_MAX_PSET_NAME_LEN has room for.
  static constexpr std::size_t most_letters = 255;

  /// Where an index leads: to MPI's own set of that number, or to `set`.
  struct Place {
    int own = -1;
    const ProcessSet* set = nullptr;
  };

  /// "lapwing://NAME"; empty where the program's `name` is none: it has letters, digits, '.', '_' and '-',
  /// and the whole has `most_letters` at most.
  static std::string full_name(std::string_view name);
  /// The name of a set that the program has not named: "lapwing://ranks/0-3,8", or where that is too long
  /// its size and a hash. Equal on all processes.
  static std::string name_of(const std::vector<int>& ranks);

  /// False, and nothing is added, where the name is that of other ranks. Adding a set again changes nothing.
  bool add(std::string name, std::vector<int> ranks);
  /// Sets without a name of the program's; in one order, whatever the order given.
  void add_all(std::vector<std::vector<int>> sets);

  const ProcessSet* find(std::string_view name) const;

  /// Lists what is new: MPI's own sets up to `own`, then those added since. Returns the length of the list.
  int list(int own);
  Place at(int index) const;

 private:
  std::deque<ProcessSet> sets_;
  std::unordered_map<std::string_view, const ProcessSet*> by_name_;
  std::vector<Place> listed_;
  std::size_t sets_listed_ = 0;
  int own_listed_ = 0;
};

}  // namespace lapwing::sets
