// SPDX-License-Identifier: Apache-2.0
// The record in which a process shows its neighbours where it waits (watch.hpp).
#pragma once

#include "sets/run/watch.hpp"

namespace lapwing::sets {

constexpr std::size_t most_missing = 8, most_counts = 1024, most_needs = 64;

// `messages`: all that are needed must come; `one_message`: one of them lets the process go on.
enum class WaitKind : std::uint32_t { free, call, votes, messages, one_message, finalize, gone };

struct RunWatch::Count {
  std::atomic<std::uint64_t> key, value;
};

// Zeros at first. The wait is described before its turn, which is odd while the process does not wait.
struct RunWatch::Post {
  std::atomic<std::uint64_t> turn;
  std::atomic<WaitKind> kind;
  std::atomic<std::uint32_t> missing;
  std::atomic<std::uint64_t> group, number, needs, members, signature;
  std::atomic<std::uint64_t> uncounted;        ///< not 0: some acts had no room among the counts
  std::atomic<std::uint64_t> unseen_receives;  ///< not 0: some begin without being counted
  std::atomic<std::uint64_t> ballots_at;       ///< the turn for which the counts of ballots are right
  struct {
    std::atomic<std::uint64_t> ballots, sequence, process;
  } votes[most_missing];
  struct Need {
    std::atomic<std::uint64_t> comm, number, places, kind_and_column;
    void store(const MessageNeed& need) {
      comm.store(need.comm, std::memory_order_relaxed);
      number.store(need.number, std::memory_order_relaxed);
      places.store(need.places, std::memory_order_relaxed);
      kind_and_column.store(static_cast<std::uint64_t>(need.kind) << 8 | need.column,
                            std::memory_order_relaxed);
    }
    MessageNeed load() const {
      const std::uint64_t both = kind_and_column.load(std::memory_order_relaxed);
      return {static_cast<MessageNeed::Kind>(both >> 8), comm.load(std::memory_order_relaxed),
              number.load(std::memory_order_relaxed), places.load(std::memory_order_relaxed),
              static_cast<unsigned>(both & 255)};
    }
  } needs_messages[most_needs];
  std::atomic<std::uint64_t> text_at;  ///< the turn that the text is of
  char text[1024];
  Count counts[most_counts];  ///< of sets and windows
  MessageCounts::Shared messages;
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
