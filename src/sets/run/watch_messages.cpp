// SPDX-License-Identifier: Apache-2.0
// The messages of watch.hpp: how many a process has sent to each other one, and the waits for them.
#include <mutex>

#include "sets/run/watch.hpp"
#include "sets/run/watch_post.hpp"

namespace lapwing::sets {
namespace {

// More than a program ever receives.
constexpr std::uint64_t often_sent = std::uint64_t{1} << 40;

std::uint64_t key_of(std::uint64_t family, int world_rank) {
  return (family ^ 0x6d657373616765u) * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(world_rank) + 1;
}

}  // namespace

RunWatch::Channels& RunWatch::channels(const Family& given) {
  auto& family = const_cast<Family&>(given);
  const auto [found, fresh] = channels_.try_emplace(&family);
  Channels& made = found->second;
  if (!fresh) return made;
  const Set& all = *family.table.all();
  const auto size = static_cast<std::size_t>(all.size());
  made.key = key_of(family.id(), family.world_rank(family.table.me()));
  made.near = near(family, all);
  made.all_near = static_cast<std::size_t>(__builtin_popcountll(made.near)) == size;
  made.received.resize(size);
  made.sent.resize(size);
  return made;
}

RunWatch::Channels* RunWatch::channels_of(MPI_Comm comm, const Family** family) {
  if (comm == MPI_COMM_NULL) return nullptr;
  std::unique_lock<Lock> guard;
  if (at_hand.threads) guard = std::unique_lock<Lock>(at_hand.lock);
  const Family* const known = Family::find(comm);
  if (!known || !known->from_birth) return nullptr;
  if (known != last_family_) {
    last_channels_ = &channels(*known);
    last_family_ = known;
  }
  if (family) *family = known;
  return last_channels_;
}

void RunWatch::sends(int rank, MPI_Comm comm, bool often) {
  const Family* family = nullptr;
  Channels* const of = channels_of(comm, &family);
  if (!of || rank < 0 || static_cast<std::size_t>(rank) >= of->sent.size()) return;
  Count*& count = of->sent[static_cast<std::size_t>(rank)];
  if (!count) {
    const int to = family->world_rank(rank);
    if (places_[static_cast<std::size_t>(to)] < 0) return;
    count = count_of(*own_, key_of(const_cast<Family*>(family)->id(), to), true);
    if (!count) return;
  }
  const std::uint64_t before = count->value.load(std::memory_order_relaxed);
  count->value.store(often ? before | often_sent : before + 1, std::memory_order_release);
}

void RunWatch::wait_for_message(int rank, int tag, MPI_Comm comm, const char* call, const void* returns_to) {
  end();
  standing_ = {};
  const Family* family = nullptr;
  Channels* const of = channels_of(comm, &family);
  if (!of) return;
  const bool any = rank == MPI_ANY_SOURCE;
  if (any ? !of->all_near : rank < 0 || static_cast<std::size_t>(rank) >= of->received.size()) return;
  standing_.name = call;
  standing_.returns_to = returns_to;
  standing_.family = family;
  standing_.set = const_cast<Family*>(family)->table.all();
  standing_.rank = rank;
  standing_.tag = tag;
  standing_.message = true;
  if (any) {
    own_->group.store(of->key, std::memory_order_relaxed);
    own_->number.store(of->all_received, std::memory_order_relaxed);
    own_->needs.store(of->near, std::memory_order_relaxed);
    begin(WaitKind::any_message);
    return;
  }
  standing_.missing.push_back(
      {of->key, of->received[static_cast<std::size_t>(rank)], family->world_rank(rank)});
  show_missing(WaitKind::messages);
}

void RunWatch::received(int rank, MPI_Comm comm) {
  Channels* const of = channels_of(comm, nullptr);
  if (!of || rank < 0 || static_cast<std::size_t>(rank) >= of->received.size()) return;
  ++of->received[static_cast<std::size_t>(rank)];
  ++of->all_received;
}

void RunWatch::begins_receive(MPI_Request request, int rank, int tag, MPI_Comm comm, const char* call,
                              const void* returns_to) {
  const Family* family = nullptr;
  requests_.erase(request);
  receives_.erase(request);
  if (rank >= 0 && channels_of(comm, &family))
    receives_.emplace(request, PendingReceive{family, rank, tag, call, returns_to});
  follows = !requests_.empty() || !receives_.empty();
}

// Where fewer messages can be on their way than receives are waited for, one of these has none.
bool RunWatch::wait_for_receives(int count, const MPI_Request* requests) {
  std::vector<MissingVote> missing;
  const PendingReceive* first = nullptr;
  for (int i = 0; i < count; ++i) {
    const auto found = receives_.find(requests[i]);
    if (found == receives_.end()) continue;
    const PendingReceive& receive = found->second;
    Channels& of = channels(*receive.family);
    const auto rank = static_cast<std::size_t>(receive.rank);
    if (rank >= of.received.size()) continue;
    const int from = receive.family->world_rank(receive.rank);
    MissingVote* same = nullptr;
    for (MissingVote& one : missing)
      if (one.ballots == of.key && one.rank == from) same = &one;
    if (same) {
      ++same->sequence;
    } else {
      missing.push_back({of.key, of.received[rank], from});
    }
    if (!first) first = &receive;
  }
  if (!first) return false;
  end();
  standing_ = {};
  standing_.name = first->call;
  standing_.returns_to = first->returns_to;
  standing_.family = first->family;
  standing_.set = const_cast<Family*>(first->family)->table.all();
  standing_.rank = first->rank;
  standing_.tag = first->tag;
  standing_.message = true;
  standing_.missing = std::move(missing);
  show_missing(WaitKind::messages);
  return true;
}

void RunWatch::complete(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    const auto found = receives_.find(requests[i]);
    if (found == receives_.end()) continue;
    Channels& of = channels(*found->second.family);
    ++of.received[static_cast<std::size_t>(found->second.rank)];
    ++of.all_received;
  }
  forget(count, requests);
}

}  // namespace lapwing::sets
