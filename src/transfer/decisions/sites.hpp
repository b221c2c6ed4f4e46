// SPDX-License-Identifier: Apache-2.0
// Call sites: what they did, and when the program used what they received.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include "transfer/decisions/saving.hpp"
#include "transfer/decisions/strip_grain.hpp"
#include "transfer/hints/hint_file.hpp"
#include "transfer/wire/wire.hpp"

namespace lapwing::transfer {

/// Receives of one size class at one site.
struct Stream {
  std::uint64_t calls = 0;
  std::uint64_t looks = 0, last_look = 0;  ///< how often one was observed, and which the last one was
  std::uint64_t waited = 0;                ///< nanoseconds that the program has waited since the last look
  Touches touches;                         ///< of the last one that was observed
  bool observed = false;                   ///< one is being observed
  void looked() {
    ++looks;
    last_look = calls;
    waited = 0;
  }
};

/// Where a call came from.
struct Caller {
  const void* address;  ///< where it returns to
  const char* name;     ///< "MPI_Recv"
};

/// Why a message of weight went the plain way.
enum class PlainCause : std::uint8_t {
  watched,       ///< it could be hidden, and nothing has shown yet that this would pay
  layout,        ///< its datatype is not one run of bytes
  own_node,      ///< its partner is on this node, and no core is free for the helper
  communicator,  ///< a member of its communicator is outside the job that has Lapwing
  shared,        ///< its memory is in use by another transfer, or cannot be guarded
  never_pays,    ///< by the machine's profile nothing is gained between these ranks, at any size
};
constexpr std::size_t plain_causes = 6;

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
  StripGrain grain;
  Direction direction = Direction::up;
  Hints hints;           ///< of the user's file
  Hints told;            ///< by a receiver of its messages
  bool hinted = false;   ///< a message from here has travelled as a hint said
  bool by_call = false;  ///< some call here had hints of its thread's
  // Of receives that were started here: looks that found the message used early or late.
  unsigned looks_worth_it = 0, looks_in_vain = 0;
  std::array<std::uint64_t, plain_causes> plain{};  ///< messages of weight that went the plain way, by cause
  void went_plain(PlainCause cause) { ++plain[static_cast<std::size_t>(cause)]; }
  std::unordered_map<unsigned, Stream> streams;  ///< of its receives, by size class
};

/// Sites by return address and call. Under the engine's lock.
class Sites {
 public:
  Site& at(const void* address, const char* call);
  /// Call sites that appear from now on are looked up there.
  void use(HintFile* hints) { hints_ = hints; }
  Site* by_key(std::uint32_t key) { return key < sites_.size() ? &sites_[key] : nullptr; }
  std::deque<Site>& all() { return sites_; }

 private:
  std::deque<Site> sites_;
  HintFile* hints_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
};

}  // namespace lapwing::transfer
