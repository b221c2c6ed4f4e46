// SPDX-License-Identifier: Apache-2.0
#include "sets/windows/locks.hpp"

#include <fmt/format.h>

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "sets/check/call_signature.hpp"
#include "sets/check/deadlock.hpp"
#include "sets/check/kinds.hpp"
#include "sets/messages.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {
namespace {

using Guard = std::lock_guard<Lock>;

constexpr std::uint64_t longest_without_answer = 300'000'000u;

enum LockWord : std::int32_t { asks, returns, granted, held };

/// The wire: a process that holds a lock, or wants to.
struct Claim {
  std::int32_t rank = 0;  ///< of the world
  std::int32_t exclusive = 0;
  std::uint64_t number = 0;  ///< of its locks of this target
};

/// Of this process' part of a window.
struct Kept {
  std::vector<Claim> holders;
  std::deque<Claim> waiting;
};
std::map<std::uint64_t, Kept>& kept_locks = *new std::map<std::uint64_t, Kept>;

/// This process' own locks of one target.
struct Own {
  std::uint64_t asked = 0, returned = 0;
  bool answered = false, given = false, unmanaged = false;
  std::vector<Claim> holders;  ///< for which it waits
};
std::map<std::pair<std::uint64_t, int>, Own>& own_locks = *new std::map<std::pair<std::uint64_t, int>, Own>;

void take_lock_message(int source, const char* data, std::size_t size);

void tell(int rank, std::uint64_t window, int target, LockWord word, const Claim& claim,
          const std::vector<Claim>& holders) {
  PackedValues out;
  out.put(window);
  out.put<std::int32_t>(target);
  out.put<std::int32_t>(word);
  out.put(claim);
  out.put_all(holders);
  if (rank == Messages::rank())
    take_lock_message(rank, out.data(), out.size());
  else
    Messages::send(rank, lock_kind, out.data(), out.size());
}

bool fits_beside(const Claim& claim, const std::vector<Claim>& holders) {
  for (const Claim& holder : holders)
    if (claim.exclusive || holder.exclusive) return false;
  return true;
}

// Readers come in beside readers also where a writer waits: MPI promises no order.
void serve(std::uint64_t window, int target) {
  Kept& kept = kept_locks[window];
  std::deque<Claim> left;
  std::vector<Claim> next;
  for (const Claim& claim : kept.waiting) {
    if (fits_beside(claim, kept.holders)) {
      kept.holders.push_back(claim);
      next.push_back(claim);
    } else {
      left.push_back(claim);
    }
  }
  kept.waiting = left;
  for (const Claim& claim : next) tell(claim.rank, window, target, granted, claim, {});
  const std::vector<Claim> holders = kept.holders;
  for (const Claim& claim : left) tell(claim.rank, window, target, held, claim, holders);
}

void take_lock_message(int, const char* data, std::size_t size) {
  PackedValues in(data, size);
  const auto window = in.get<std::uint64_t>();
  const auto target = in.get<std::int32_t>();
  const auto word = in.get<std::int32_t>();
  const auto claim = in.get<Claim>();
  const auto holders = in.get_all<Claim>();
  const auto same = [&](const Claim& other) {
    return other.rank == claim.rank && other.number == claim.number;
  };
  if (word == asks) {
    kept_locks[window].waiting.push_back(claim);
    return serve(window, target);
  }
  if (word == returns) {
    std::erase_if(kept_locks[window].holders, same);
    std::erase_if(kept_locks[window].waiting, same);
    return serve(window, target);
  }
  Own& own = own_locks[{window, target}];
  if (claim.number != own.asked) return;
  own.answered = true;
  own.given = word == granted;
  own.holders = holders;
}

class LockWait : public Wait {
 public:
  LockWait(const GroupCall& call, const Window& window, Own& own)
      : call_(call), window_(window), own_(own), begun_(transfer::now_ns()) {}
  bool done() override {
    const Guard guard(Messages::lock());
    if (own_.given) return true;
    if (own_.answered || transfer::now_ns() - begun_ < longest_without_answer) return false;
    own_.unmanaged = true;
    return true;
  }
  void edges(Edges* edges) override {
    if (own_.given || !own_.answered) edges->goes_on = true;
    for (const Claim& holder : own_.holders) {
      edges->list.push_back({holder.rank, Edge::releases, window_.circle().id,
                             static_cast<std::uint64_t>(call_.peer), holder.number, edges->clauses++, 0});
    }
    if (edges->clauses == 0) edges->goes_on = true;
  }
  Told told() const override { return told_of_call(call_); }
  std::string details() const override {
    std::set<int> ranks;
    for (const Claim& holder : own_.holders) ranks.insert(holder.rank);
    return fmt::format("of rank {}, until {} {} unlocks it, on {}", call_.peer,
                       ranks.size() == 1 ? "rank" : "each of ranks", rank_list(ranks),
                       window_.circle().described());
  }

 private:
  const GroupCall& call_;
  const Window& window_;
  Own& own_;
  std::uint64_t begun_;
};

}  // namespace

void Locks::start() { Messages::on(lock_kind, take_lock_message); }

void Locks::acquire(const GroupCall& call, const Window& window) {
  if (!Deadlock::provable() || !window.has(call.peer)) return;
  Own& own = own_locks[{window.circle().id, call.peer}];
  if (own.unmanaged) return;
  {
    const Guard guard(Messages::lock());
    own.answered = own.given = false;
    own.holders.clear();
    ++own.asked;
    Claim claim;
    claim.rank = Messages::rank();
    claim.exclusive = call.mode == MPI_LOCK_EXCLUSIVE;
    claim.number = own.asked;
    tell(window.world_rank(call.peer), window.circle().id, call.peer, asks, claim, {});
  }
  LockWait wait(call, window, own);
  block(wait);
}

void Locks::release(const Window& window, int target) {
  const auto found = own_locks.find({window.circle().id, target});
  if (found == own_locks.end() || found->second.returned == found->second.asked) return;
  Own& own = found->second;
  const Guard guard(Messages::lock());
  own.returned = own.asked;
  Claim claim;
  claim.rank = Messages::rank();
  claim.number = own.asked;
  tell(window.world_rank(target), window.circle().id, target, returns, claim, {});
}

bool Locks::is_done(const Edge& edge) {
  const auto found = own_locks.find({edge.circle, static_cast<int>(edge.a)});
  return found == own_locks.end() || found->second.returned >= edge.b;
}

}  // namespace lapwing::sets
