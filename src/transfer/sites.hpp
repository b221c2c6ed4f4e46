// SPDX-License-Identifier: Apache-2.0
// Call sites, what they did, and what each has learned.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "transfer/wire.hpp"

namespace lapwing::transfer {

/// What a sending site tries next, judged by the time from one of its calls to
/// the next: the one figure that contains every cost and every gain, also the
/// helper's share of a core and the receiver's waiting.
class Learning {
 public:
  enum class Way : std::uint8_t { plain, stripped };

  /// How the call that begins now is to travel.
  Way next(std::uint64_t now_ns, std::size_t bytes, bool optimistic);
  const char* verdict() const;
  bool settled() const { return calls_ >= trial_calls; }

 private:
  static constexpr unsigned block = 3;                // calls that go the same way in a trial
  static constexpr unsigned trial_calls = 4 * block;  // stripped, plain, stripped, plain
  static constexpr unsigned retry_after = 400;
  static constexpr unsigned samples = 5;

  void judge();

  std::uint64_t last_ns_ = 0;
  Way last_way_ = Way::plain;
  bool last_counts_ = false;
  unsigned calls_ = 0;
  double kept_[2][samples] = {};
  unsigned taken_[2] = {0, 0};
  Way best_ = Way::stripped;
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
  std::unordered_map<std::uint32_t, Learning> learning;  ///< by size class and locality
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
