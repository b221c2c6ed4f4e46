// SPDX-License-Identifier: Apache-2.0
// Run mode: how many messages a process has sent to each neighbour, and how many receives it
// has begun for each one's, by communicator and tag, where the neighbours can read it (watch.hpp).
//
// A communicator and a neighbour share a block, found through an open hash table that is at
// most half full: the process keeps the block's address, so that a message costs no search.
// Memory is touched only where messages go. Where there is no room any more, what is not
// found counts as not known, for that communicator only. Only the process itself writes, and
// its blocks change hands only while it does not wait, so a reader that sees it in the same
// wait before and after has read what is true.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace lapwing::sets {

class MessageCounts {
 public:
  /// The first tags have columns of their own; the others share the rest.
  static constexpr unsigned columns = 16, columns_of_one_tag = 12;
  static constexpr unsigned most_places = 64, any_place = most_places;
  static constexpr std::size_t most_blocks = 16384, most_slots = 2 * most_blocks;

  static unsigned column_of(int tag) {
    const auto t = static_cast<unsigned>(tag);
    return t < columns_of_one_tag ? t : columns_of_one_tag + t % (columns - columns_of_one_tag);
  }

  /// Of a communicator and a neighbour. At the place `any_place`: receives from any source, which
  /// have not found their message yet.
  struct Block {
    std::atomic<std::uint64_t> sent[columns];
    std::atomic<std::uint64_t> begun[columns];  ///< receives, of this tag
    std::atomic<std::uint64_t> begun_any;       ///< of any tag, which have not found their message yet
  };
  /// In shared memory; zeros at first.
  struct Shared {
    struct Slot {
      std::atomic<std::uint64_t> key;
      std::atomic<std::uint32_t> block;
    };
    std::atomic<std::uint64_t> not_known[1024];  ///< communicators of which something is missing, a bit each
    Slot slots[most_slots];
    Block blocks[most_blocks];
  };

  explicit MessageCounts(Shared& shared) : shared_(shared) {}

  /// The block, which is made if there is room; else null, and what is missing counts as not known.
  /// The process must not be waiting.
  Block* block(std::uint64_t comm, unsigned place);
  /// The communicator is freed here: its blocks are used again once all are taken.
  void freed(std::uint64_t comm) { freed_.insert(comm); }

  /// The block that a process shows; null if there is none, and then `*known` says whether it is known to be
  /// all zeros.
  static const Block* find(const Shared& shared, std::uint64_t comm, unsigned place, bool* known);
  static std::uint64_t sum(const std::atomic<std::uint64_t> (&counts)[columns]);
  /// The counts have one writer.
  static void add(std::atomic<std::uint64_t>& count, std::uint64_t more = 1) {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_release);
  }

 private:
  static std::uint64_t key_of(std::uint64_t comm, unsigned place);
  static std::size_t slot_of(const Shared& shared, std::uint64_t key);
  void mark_not_known(std::uint64_t comm);
  bool make_room();
  void enter(std::uint64_t key, std::uint32_t block);

  struct Owner {
    std::uint64_t comm;
    unsigned place;
  };
  Shared& shared_;
  std::vector<Owner> owners_;  ///< of the blocks in use so far; comm 0: free again
  std::vector<std::uint32_t> free_;
  std::unordered_set<std::uint64_t> freed_;
};

}  // namespace lapwing::sets
