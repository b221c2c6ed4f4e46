// SPDX-License-Identifier: Apache-2.0
#include "sets/run/watch.hpp"

#include "progress/waiting.hpp"
#include "sets/messages.hpp"
#include "sets/run/watch_post.hpp"
#include "sets/votes/votes.hpp"

namespace lapwing::sets {
namespace {

// The processes that must have made a call before one of its processes returns from it. Calls of which an MPI
// may return without them, as most of a cartesian grid's, need no process.
enum class Needs { no_process, root, lower, all };

bool is_of_all(MPI_Group group, MPI_Comm comm) {
  int of_group = 0, of_comm = 0;
  if (group == MPI_GROUP_NULL || comm == MPI_COMM_NULL) return false;
  return PMPI_Group_size(group, &of_group) == MPI_SUCCESS && PMPI_Comm_size(comm, &of_comm) == MPI_SUCCESS &&
         of_group == of_comm;
}

Needs needs_of(const GroupCall& call, bool is_root) {
  switch (call.operation) {
    case Operation::bcast:
    case Operation::scatter:
    case Operation::scatterv:
      return is_root ? Needs::no_process : Needs::root;
    case Operation::reduce:
    case Operation::gather:
    case Operation::gatherv:
      return is_root ? Needs::all : Needs::no_process;
    case Operation::scan:
    case Operation::exscan:
      return Needs::lower;
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
    case Operation::comm_dup_with_info:
    case Operation::comm_idup:
    case Operation::comm_idup_with_info:
    case Operation::comm_split:
    case Operation::comm_split_type:
    case Operation::win_create:
    case Operation::win_allocate:
    case Operation::win_allocate_shared:
    case Operation::win_create_dynamic:
    case Operation::win_free:
    case Operation::file_open:
      return Needs::all;
    case Operation::comm_create:
      return is_of_all(call.group, call.comm) ? Needs::all : Needs::no_process;
    case Operation::win_fence:
      return call.mode == 0 ? Needs::all : Needs::no_process;
    default:
      return Needs::no_process;
  }
}

// A program in which a member comes to its end without this call is wrong, whomever the call waits for.
bool all_make(Operation operation) {
  return operation != Operation::comm_create_group && operation != Operation::intercomm_create &&
         operation != Operation::comm_free;
}

// An operation on no data may need no message.
bool moves_nothing(const GroupCall& call) {
  return call.operation > Operation::barrier && call.operation <= Operation::exscan && !call.send.counts &&
         call.send.one_count == 0 && call.receive.one_count == 0;
}

}  // namespace

std::size_t RunWatch::area() { return sizeof(Post); }

std::unique_ptr<RunWatch> RunWatch::make(bool one_thread) {
  if (!one_thread || !Messages::board()) return nullptr;
  return std::unique_ptr<RunWatch>(new RunWatch);
}

RunWatch::RunWatch()
    : messages_(reinterpret_cast<Post*>(Messages::board()->area(Messages::rank()))->messages, places_),
      before_(std::make_unique<Seen>()) {
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
  only = this;
  Votes::owed_anywhere.fetch_or(Votes::messages_counted, std::memory_order_relaxed);
  start();
}

RunWatch::~RunWatch() {
  stop();
  Votes::owed_anywhere.fetch_and(~Votes::messages_counted, std::memory_order_relaxed);
  only = nullptr;
  follows = false;
}

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
  if (make) post.uncounted.store(1, std::memory_order_release);
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
  own_->turn.store(own_->turn.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// The helper may still be reading what the wait was about.
void RunWatch::end() {
  if (own_->turn.load(std::memory_order_relaxed) % 2 != 0) return;
  own_->turn.fetch_add(1);
  progress::wait_until([this] { return !looked_at_.load(); });
}

RunWatch::Begun RunWatch::begun(Count& count, std::uint64_t needs, const GroupCall& made) {
  Begun call;
  call.standing.name = made.name;
  call.standing.site = made.site;
  call.standing.returns_to = made.returns_to;
  call.count = &count;
  call.number = count.value.load(std::memory_order_relaxed);
  call.needs = needs;
  call.signature = static_cast<std::uint64_t>(made.operation) << 40 |
                   static_cast<std::uint64_t>(made.way) << 32 |
                   static_cast<std::uint32_t>(made.has_root ? made.root : -1);
  count.value.store(call.number + 1, std::memory_order_release);
  return call;
}

void RunWatch::show(const Begun& call) {
  waits_for_message_ = false;
  standing_ = call.standing;
  own_->group.store(call.count->key.load(std::memory_order_relaxed), std::memory_order_relaxed);
  own_->number.store(call.number, std::memory_order_relaxed);
  own_->needs.store(call.needs, std::memory_order_relaxed);
  own_->members.store(call.members, std::memory_order_relaxed);
  own_->signature.store(call.signature, std::memory_order_relaxed);
  begin(WaitKind::call);
}

void RunWatch::enter(Family& family, Set& set, const GroupCall& made) {
  end();
  last_ = {};
  if (made.way != Way::blocking && made.way != Way::immediate) return;
  SetComms& comms = family.comms(set);
  if (!comms.watched) {
    comms.near = near(family, set);
    comms.watched = count_of(*own_, family.id() * 0x9e3779b97f4a7c15u + set.id(), true);
  }
  Count* const count = static_cast<Count*>(comms.watched);
  if (!count) return;
  const auto bit = [&](int rank) {
    const int place = places_[static_cast<std::size_t>(family.world_rank(rank))];
    return place >= 0 ? std::uint64_t{1} << place : 0;
  };
  const int me = family.table.me();
  std::uint64_t needs = 0;
  switch (needs_of(made, made.has_root && made.root == me)) {
    case Needs::all:
      needs = comms.near;
      break;
    case Needs::lower:
      for (const int rank : set.members().members()) needs |= rank < me ? bit(rank) : 0;
      break;
    case Needs::root:
      if (made.root >= 0 && set.members().has(made.root)) needs = bit(made.root);
      break;
    case Needs::no_process:
      break;
  }
  if (moves_nothing(made)) needs = 0;
  last_ = begun(*count, needs, made);
  last_.members = all_make(made.operation) ? comms.near : 0;
  last_.standing.family = &family;
  last_.standing.set = &set;
  if (made.way == Way::blocking) show(last_);
}

void RunWatch::enter(MPI_Win win, const GroupCall& made) {
  end();
  last_ = {};
  const auto found = windows_.find(win);
  if (found == windows_.end() || made.way != Way::blocking) return;
  const Window& window = found->second;
  const bool all = needs_of(made, false) == Needs::all;
  last_ = begun(*window.count, all ? window.near : 0, made);
  last_.members = window.near;
  last_.standing.window = &window;
  show(last_);
}

void RunWatch::made(const Made& made) {
  if (!last_.count) return;
  if (made.win != MPI_WIN_NULL && last_.standing.family) {
    // The communicator may be freed before the window. Its members number the calls on it alike.
    const std::uint64_t key =
        (last_.count->key.load(std::memory_order_relaxed) ^ 0x77) * 0x9e3779b97f4a7c15u + last_.number;
    SetComms& comms =
        const_cast<Family*>(last_.standing.family)->comms(*const_cast<Set*>(last_.standing.set));
    windows_.erase(made.win);
    if (Count* count = count_of(*own_, key, true))
      windows_.emplace(made.win, Window{count, comms.near, last_.standing.family->name()});
  }
  if (made.request != MPI_REQUEST_NULL) {
    messages_.requests.erase(made.request);
    requests_.insert_or_assign(made.request, last_);
    follows = true;
  }
  last_ = {};
}

bool RunWatch::wait_for(int count, const MPI_Request* requests) {
  const Begun* latest = nullptr;
  for (int i = 0; i < count && !requests_.empty(); ++i) {
    const auto found = requests_.find(requests[i]);
    if (found == requests_.end() || (found->second.needs | found->second.members) == 0) continue;
    if (!latest || found->second.number > latest->number) latest = &found->second;
  }
  if (!latest) return wait_for_receives(count, requests);
  end();
  show(*latest);
  return true;
}

void RunWatch::forget(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    requests_.erase(requests[i]);
    messages_.requests.erase(requests[i]);
  }
  count_requests();
}

void RunWatch::complete(MPI_Request request, const MPI_Status* status) {
  messages_.complete(request, status);
  if (!requests_.empty()) requests_.erase(request);
  count_requests();
}

// MPI may free a communicator as it completes the last request on it, in a wait that is shown: the helper
// must not look at the family meanwhile, nor later where the wait is of this family.
void RunWatch::forget(const Family& family) {
  const WaitKind kind = own_->kind.load(std::memory_order_relaxed);
  const bool waits = own_->turn.load(std::memory_order_relaxed) % 2 == 0 && kind != WaitKind::finalize;
  if (waits) end();
  std::erase_if(requests_, [&](const auto& one) { return one.second.standing.family == &family; });
  const Family* of = standing_.family;
  if (waits && waits_for_message_) of = of_message_.channels->family;
  messages_.forget(family);
  count_requests();
  if (last_.standing.family == &family) last_ = {};
  if (waits && of != &family) begin(kind);
}

void RunWatch::leave() { end(); }

void RunWatch::wait_for(const std::vector<MissingVote>& missing, const std::string& what) {
  const bool waits = own_->turn.load(std::memory_order_relaxed) % 2 == 0;
  if (waits && standing_.missing == missing && standing_.what == what) return;
  end();
  standing_ = {};
  waits_for_message_ = false;
  standing_.what = what;
  standing_.missing = missing;
  std::uint32_t n = 0;
  for (const MissingVote& vote : standing_.missing) {
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
  waits_for_message_ = false;
  standing_.what = what;
  begin(WaitKind::finalize);
  publish_ballots();
  say_where();  // the process may be gone when a report is due
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
