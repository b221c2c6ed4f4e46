// SPDX-License-Identifier: Apache-2.0
// Call sites: what they did, and when the program used what they received.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "transfer/decisions/saving.hpp"
#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

/// Receives of one size class at one site.
struct Stream {
  std::uint64_t calls = 0;
  Touches touches;        ///< of the last one that was observed
  bool observed = false;  ///< one is being observed
};

/// Where a call came from.
struct Caller {
  const void* address;  ///< where it returns to
  const char* name;     ///< "MPI_Recv"
};

struct Site {
  const void* address = nullptr;  ///< where the call returns to
  const char* call = "";          ///< "MPI_Recv"
  std::uint32_t key = 0;          ///< names it in trailers and hints
  std::uint64_t calls = 0, bytes = 0, deferred = 0, stripped = 0, faults = 0;
  std::uint64_t exposed_ns = 0;      ///< in the call, and in guards of its transfers
  std::uint64_t transfer_ns = 0;     ///< from match to landing, of deferred transfers
  std::uint64_t waited_ns = 0;       ///< the part of it that was spent in guards
  int scans_up = 0, scans_down = 0;  ///< of receives: where closed pages were touched first
  // What receivers told of this site's messages.
  int up_votes = 0, down_votes = 0;
  unsigned untouched = 0;  ///< messages in a row of which nothing was read before all had landed
  Direction direction = Direction::up;
  // Of receives that were started here: looks that found the message used early or late.
  unsigned looks_worth_it = 0, looks_in_vain = 0;
  std::unordered_map<unsigned, Stream> streams;  ///< of its receives, by size class
};

/// Sites by return address and call. Under the engine's lock.
class Sites {
 public:
  Site& at(const void* address, const char* call);
  Site* by_key(std::uint32_t key) { return key < sites_.size() ? &sites_[key] : nullptr; }
  std::deque<Site>& all() { return sites_; }

 private:
  std::deque<Site> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
};

}  // namespace lapwing::transfer
