// SPDX-License-Identifier: Apache-2.0
// The record in which a process shows its neighbours where it waits (watch.hpp).
#pragma once

#include "sets/run/watch.hpp"

namespace lapwing::sets {

constexpr std::size_t most_missing = 8, most_counts = 1024;

enum class WaitKind : std::uint32_t { free, call, votes, messages, any_message, finalize, gone };

struct RunWatch::Count {
  std::atomic<std::uint64_t> key, value;
};

// Zeros at first. The wait is described before its turn, which is odd while the process does not wait.
struct RunWatch::Post {
  std::atomic<std::uint64_t> turn;
  std::atomic<WaitKind> kind;
  std::atomic<std::uint32_t> missing;
  std::atomic<std::uint64_t> group, number, needs, members, signature;
  std::atomic<std::uint64_t> uncounted;   ///< not 0: some acts had no room among the counts
  std::atomic<std::uint64_t> ballots_at;  ///< the turn for which the counts of ballots are right
  struct {
    std::atomic<std::uint64_t> ballots, sequence, process;
  } votes[most_missing];
  std::atomic<std::uint64_t> text_at;  ///< the turn that the text is of
  char text[1024];
  Count counts[most_counts];
};

struct RunWatch::Seen {
  struct One {
    WaitKind kind = WaitKind::free;
    std::uint64_t turn = 0;
    bool stuck = false;
  };
  std::vector<One> all;
  bool same(const Seen& other) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].stuck != other.all[i].stuck || (all[i].stuck && all[i].turn != other.all[i].turn))
        return false;
    }
    return true;
  }
};

}  // namespace lapwing::sets
