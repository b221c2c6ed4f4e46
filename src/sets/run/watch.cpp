// SPDX-License-Identifier: Apache-2.0
#include "sets/run/watch.hpp"

#include "progress/waiting.hpp"
#include "sets/messages.hpp"
#include "sets/run/watch_post.hpp"

namespace lapwing::sets {
namespace {

// The processes that must have made a call before one of its processes returns from it.
enum class Needs { nobody, root, all };

Needs needs_of(const GroupCall& call, bool is_root) {
  switch (call.operation) {
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return is_root ? Needs::nobody : Needs::root;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return is_root ? Needs::all : Needs::nobody;
    case Operation::barrier:
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::allgatherv:
    case Operation::alltoall:
    case Operation::alltoallv:
    case Operation::alltoallw:
    case Operation::reduce_scatter:
    case Operation::reduce_scatter_block:
    case Operation::comm_dup:
    case Operation::comm_split:
      return Needs::all;
    default:
      return Needs::nobody;
  }
}

}  // namespace

std::size_t RunWatch::area() { return sizeof(Post); }

std::unique_ptr<RunWatch> RunWatch::make(bool one_thread) {
  if (!one_thread || !Messages::board()) return nullptr;
  return std::unique_ptr<RunWatch>(new RunWatch);
}

RunWatch::RunWatch() : before_(std::make_unique<Seen>()) {
  transfer::Board& board = *Messages::board();
  places_.assign(static_cast<std::size_t>(Messages::processes()), -1);
  for (int rank = 0; rank < Messages::processes(); ++rank) {
    if (rank != Messages::rank() && !board.neighbour(rank)) continue;
    places_[static_cast<std::size_t>(rank)] = static_cast<int>(ranks_.size());
    ranks_.push_back(rank);
    posts_.push_back(reinterpret_cast<Post*>(board.area(rank)));
    if (rank == Messages::rank()) own_ = posts_.back();
  }
  own_->turn.store(1);
  start();
}

RunWatch::~RunWatch() { stop(); }

RunWatch::Count* RunWatch::count_of(Post& post, std::uint64_t key, bool make) {
  if (key == 0) key = 1;
  for (std::size_t i = 0; i < 64; ++i) {
    Count& count = post.counts[((key * 0x9e3779b97f4a7c15u >> 48 ^ key) + i) & (most_counts - 1)];
    const std::uint64_t found = count.key.load(std::memory_order_acquire);
    if (found == key) return &count;
    if (found != 0) continue;
    if (!make) return nullptr;
    count.key.store(key, std::memory_order_release);
    return &count;
  }
  return nullptr;
}

std::uint64_t RunWatch::near(const Family& family, const Set& set) const {
  std::uint64_t mask = 0;
  for (const int rank : set.members().members()) {
    const int place = places_[static_cast<std::size_t>(family.world_rank(rank))];
    if (place >= 0) mask |= std::uint64_t{1} << place;
  }
  return mask;
}

void RunWatch::begin(WaitKind kind) {
  own_->kind.store(kind, std::memory_order_relaxed);
  own_->turn.fetch_add(1, std::memory_order_release);
}

// The helper may still be reading what the wait was about.
void RunWatch::end() {
  if (own_->turn.load(std::memory_order_relaxed) % 2 != 0) return;
  own_->turn.fetch_add(1);
  progress::wait_until([this] { return !looked_at_.load(); });
}

void RunWatch::enter(Family& family, Set& set, const GroupCall& made) {
  end();
  if (made.way != Way::blocking && made.way != Way::immediate) return;
  SetComms& comms = family.comms(set);
  if (!comms.watched) {
    comms.near = near(family, set);
    comms.watched = count_of(*own_, family.id() * 0x9e3779b97f4a7c15u + set.id(), true);
  }
  Count* const count = static_cast<Count*>(comms.watched);
  if (!count) return;
  const std::uint64_t number = count->value.load(std::memory_order_relaxed);
  count->value.store(number + 1, std::memory_order_release);
  if (made.way == Way::immediate) return;
  const bool is_root = made.has_root && made.root == family.table.me();
  const int root = made.has_root && made.root >= 0 && set.members().has(made.root)
                       ? places_[static_cast<std::size_t>(family.world_rank(made.root))]
                       : -1;
  std::uint64_t needs = 0;
  switch (needs_of(made, is_root)) {
    case Needs::all:
      needs = comms.near;
      break;
    case Needs::root:
      needs = root >= 0 ? std::uint64_t{1} << root : 0;
      break;
    default:
      break;
  }
  standing_ = {made.name, made.site, made.returns_to, &family, &set, {}, {}};
  own_->group.store(count->key.load(std::memory_order_relaxed), std::memory_order_relaxed);
  own_->number.store(number, std::memory_order_relaxed);
  own_->needs.store(needs, std::memory_order_relaxed);
  own_->signature.store(static_cast<std::uint64_t>(made.operation) << 32 |
                            static_cast<std::uint32_t>(made.has_root ? made.root : -1),
                        std::memory_order_relaxed);
  begin(WaitKind::call);
}

void RunWatch::leave() { end(); }

void RunWatch::wait_for(const std::vector<MissingVote>& missing, const std::string& what) {
  const bool waits = own_->turn.load(std::memory_order_relaxed) % 2 == 0;
  if (waits && standing_.missing == missing && standing_.what == what) return;
  end();
  standing_ = {};
  standing_.what = what;
  standing_.missing = missing;
  std::uint32_t n = 0;
  for (const MissingVote& vote : missing) {
    const int place = places_[static_cast<std::size_t>(vote.rank)];
    if (place < 0 || n == most_missing) continue;
    own_->votes[n].ballots.store(vote.ballots, std::memory_order_relaxed);
    own_->votes[n].sequence.store(vote.sequence, std::memory_order_relaxed);
    own_->votes[n].process.store(static_cast<std::uint64_t>(place), std::memory_order_relaxed);
    ++n;
  }
  own_->missing.store(n, std::memory_order_relaxed);
  begin(WaitKind::votes);
}

void RunWatch::come_to_end(const std::string& what) {
  end();
  standing_ = {};
  standing_.what = what;
  begin(WaitKind::finalize);
  publish_ballots();
  say_where();  // nobody may be here to say it later
}

// Under the lock, by the process itself: only it knows them. Ballots that have not started yet will.
void RunWatch::publish_ballots() {
  bool all = true;
  Family::each([&](Family& family) {
    all = all && !family.waits;
    family.table.each([&](Set& set) {
      if (set.ballots == 0) return;
      Count* count = count_of(*own_, ballots_key(family.id(), set), true);
      all = all && count;
      if (count) count->value.store(set.ballots, std::memory_order_release);
    });
  });
  if (all) own_->ballots_at.store(own_->turn.load(std::memory_order_relaxed), std::memory_order_release);
}

}  // namespace lapwing::sets
