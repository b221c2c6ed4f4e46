// SPDX-License-Identifier: Apache-2.0
#include "sets/check/epochs.hpp"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "sets/check/call_signature.hpp"
#include "sets/check/deadlock.hpp"
#include "sets/check/kinds.hpp"
#include "sets/circle_make.hpp"
#include "sets/messages.hpp"
#include "sets/orders/history.hpp"
#include "sets/packed_values.hpp"
#include "sets/report/report.hpp"

namespace lapwing::sets {
namespace {

using Guard = std::lock_guard<Lock>;
using Counts = std::map<int, std::uint64_t>;  // by world rank

/// Of one window. All under the lock.
struct Epoch {
  Counts posted, started, completed;      ///< by this process, towards others
  Counts arrived;                         ///< others' posts to this one
  std::vector<int> exposed_to, accesses;  ///< in the epochs that are open
};
std::map<std::uint64_t, Epoch> epochs;  // by the window's circle, which may not be known here yet

std::uint64_t count_of(const Counts& counts, int rank) {
  const auto found = counts.find(rank);
  return found == counts.end() ? 0 : found->second;
}

Circle* followed(const GroupCall& call) {
  return Deadlock::provable() && call.win != MPI_WIN_NULL ? Circles::of(call.win) : nullptr;
}

// In the History, as tags of messages between those whom the epoch concerns.
constexpr int post_tag = -1000, complete_tag = -1001;

std::vector<int> partners(const GroupCall& call) {
  return call.group == MPI_GROUP_NULL ? std::vector<int>() : world_ranks(call.group);
}

class EpochWait : public Wait {
 public:
  EpochWait(const GroupCall& call, const Circle& circle) : call_(call), circle_(circle) {}
  Told told() const override { return told_of_call(call_); }

 protected:
  std::string waits_for(const char* act, const std::vector<int>& ranks) const {
    const std::set<int> all(ranks.begin(), ranks.end());
    return fmt::format("until {} {} {}, on {}", all.size() == 1 ? "rank" : "ranks", rank_list(all), act,
                       circle_.described());
  }
  void add(int rank, Edge::Kind kind, std::uint64_t number, Edges* edges) const {
    edges->list.push_back({rank, kind, circle_.id, number, 0, edges->clauses++, 0});
  }

  const GroupCall& call_;
  const Circle& circle_;
};

/// MPI_Win_start: until all targets have posted.
class StartWait : public EpochWait {
 public:
  using EpochWait::EpochWait;
  bool done() override {
    const Guard guard(Messages::lock());
    return missing().empty();
  }
  void edges(Edges* edges) override {
    for (const int rank : missing())
      add(rank, Edge::exposes, count_of(epochs[circle_.id].started, rank), edges);
    edges->goes_on = edges->clauses == 0;
  }
  std::string details() const override { return waits_for("calls MPI_Win_post", missing()); }

 private:
  std::vector<int> missing() const {
    std::vector<int> ranks;
    const Epoch& epoch = epochs[circle_.id];
    for (const int rank : epoch.accesses) {
      if (count_of(epoch.arrived, rank) < count_of(epoch.started, rank)) ranks.push_back(rank);
    }
    return ranks;
  }
};

/// MPI_Win_wait: until all origins have completed.
class ExposureWait : public EpochWait {
 public:
  using EpochWait::EpochWait;
  bool done() override {
    int flag = 0;
    rc_ = PMPI_Win_test(call_.win, &flag);
    return flag != 0 || rc_ != MPI_SUCCESS;
  }
  int rc() const { return rc_; }
  void edges(Edges* edges) override {
    const Epoch& epoch = epochs[circle_.id];
    for (const int rank : epoch.exposed_to) add(rank, Edge::completes, count_of(epoch.posted, rank), edges);
    edges->goes_on = edges->clauses == 0;
  }
  std::string details() const override {
    return waits_for("calls MPI_Win_complete", epochs[circle_.id].exposed_to);
  }

 private:
  int rc_ = MPI_SUCCESS;
};

void take_post(int source, const char* data, std::size_t size) {
  PackedValues in(data, size);
  ++epochs[in.get<std::uint64_t>()].arrived[source];
}

void begin_access(const GroupCall& call, const Circle& circle) {
  {
    const Guard guard(Messages::lock());
    Epoch& epoch = epochs[circle.id];
    epoch.accesses = partners(call);
    for (const int rank : epoch.accesses) ++epoch.started[rank];
  }
  StartWait wait(call, circle);
  block(wait);
  for (const int rank : epochs[circle.id].accesses)
    History::awaits(circle, rank, post_tag, told_of_call(call));
}

}  // namespace

void Epochs::start() { Messages::on(post_kind, take_post); }

bool Epochs::before(const GroupCall& call, int* result) {
  Circle* circle = followed(call);
  if (!circle) return false;
  if (call.operation == Operation::win_test) Messages::progress();
  if (call.operation == Operation::win_start) begin_access(call, *circle);
  if (call.operation != Operation::win_wait) return false;
  {
    // An error is MPI's to find.
    const Guard guard(Messages::lock());
    if (epochs[circle->id].exposed_to.empty()) return false;
  }
  ExposureWait wait(call, *circle);
  block(wait);
  *result = wait.rc();
  const Guard guard(Messages::lock());
  for (const int rank : epochs[circle->id].exposed_to)
    History::awaits(*circle, rank, complete_tag, told_of_call(call));
  epochs[circle->id].exposed_to.clear();
  return true;
}

void Epochs::after(const GroupCall& call) {
  const Circle* circle = followed(call);
  if (!circle) return;
  const Guard guard(Messages::lock());
  Epoch& epoch = epochs[circle->id];
  if (call.operation == Operation::win_complete) {
    for (const int rank : epoch.accesses) {
      ++epoch.completed[rank];
      History::signals(*circle, rank, complete_tag, told_of_call(call));
    }
    epoch.accesses.clear();
  }
  if (call.operation != Operation::win_post) return;
  epoch.exposed_to = partners(call);
  for (const int rank : epoch.exposed_to) {
    ++epoch.posted[rank];
    History::signals(*circle, rank, post_tag, told_of_call(call));
    PackedValues out;
    out.put(circle->id);
    Messages::send(rank, post_kind, out.data(), out.size());
  }
}

bool Epochs::is_done(const Edge& edge, int asker) {
  const auto found = epochs.find(edge.circle);
  if (found == epochs.end()) return false;
  const Epoch& epoch = found->second;
  return count_of(edge.kind == Edge::exposes ? epoch.posted : epoch.completed, asker) >= edge.a;
}

}  // namespace lapwing::sets
