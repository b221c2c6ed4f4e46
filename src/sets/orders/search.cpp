// SPDX-License-Identifier: Apache-2.0
#include "sets/orders/search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace lapwing::sets {
namespace {

constexpr int most_stops = 10'000;                     // of one run with sends that wait
constexpr std::uint64_t most_acts_again = 20'000'000;  // of all runs with another choice
constexpr int most_tries = 4;                          // of one pair of calls

const Act& act_at(const std::vector<Acts>& all, ActPlace place) {
  return all[static_cast<std::size_t>(place.rank)].list[place.act];
}

/// Looks for races in the records of a program.
class RaceSearch {
 public:
  explicit RaceSearch(const std::vector<Acts>& all) : all_(all), recorded_(all) {
    for (const Acts& acts : all) acts_ += acts.list.size();
  }

  std::vector<Race> run(std::size_t most) {
    if (!recorded_.go_on()) return {};
    collect_sends();
    find_dispatchers();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const int rank = static_cast<int>(i);
      for (std::uint32_t act = 0; act < all_[i].list.size() && races_.size() < most; ++act)
        look_at({rank, act});
    }
    return races_;
  }

 private:
  void collect_sends() {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (std::uint32_t act = 0; act < all_[i].list.size(); ++act) {
        const ActPlace place{static_cast<int>(i), act};
        if (act_at(all_, place).kind == Act::send)
          sends_[act_at(all_, place).peer][place.rank].push_back(place);
      }
    }
  }

  // Calls of any tag that took messages of different tags.
  void find_dispatchers() {
    std::map<Call, int> tags;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const Act& act : all_[i].list) {
        if (act.kind != Act::receive || act.tag != Act::any || act.source_tag == Act::any) continue;
        const Call call{static_cast<int>(i), act.call};
        if (tags.try_emplace(call, act.source_tag).first->second != act.source_tag) dispatchers_.insert(call);
      }
    }
  }

  void look_at(ActPlace receive) {
    const Act& act = act_at(all_, receive);
    const ActPlace taken = recorded_.partner(receive);
    if (act.kind != Act::receive || act.peer != Act::any || !taken.exists() || taken == receive) return;
    if (dispatchers_.count({receive.rank, act.call}) != 0 || names_later(receive, taken.rank)) return;
    for (const auto& [source, sends] : sends_[receive.rank]) {
      if (source == taken.rank) continue;
      const std::optional<ActPlace> other = first_for(receive, sends);
      if (other) try_other(receive, taken, *other);
    }
  }

  bool names_later(ActPlace receive, int source) const {
    const std::vector<Act>& list = all_[static_cast<std::size_t>(receive.rank)].list;
    for (std::uint32_t i = receive.act + 1; i < list.size() && list[i].kind != Act::together; ++i) {
      if ((list[i].kind == Act::send || list[i].kind == Act::receive) && list[i].peer == source) return true;
    }
    return false;
  }

  // The first message of one source that a later receive took instead.
  std::optional<ActPlace> first_for(ActPlace receive, const std::vector<ActPlace>& sends) const {
    const Act& wanted = act_at(all_, receive);
    for (const ActPlace send : sends) {
      const Act& act = act_at(all_, send);
      const ActPlace had = recorded_.partner(send);
      if (act.circle == wanted.circle && (wanted.tag == Act::any || wanted.tag == act.tag) && had.exists() &&
          had.act > receive.act)
        return send;
    }
    return std::nullopt;
  }

  void try_other(ActPlace receive, ActPlace taken, ActPlace other) {
    int& tries = tries_[{receive.rank, act_at(all_, receive).call, other.rank, act_at(all_, other).call}];
    if (tries >= most_tries || (looked_at_ += acts_) > most_acts_again) return;
    ++tries;
    Rerun run(all_);
    run.prefer(receive, other.rank);
    const bool ends = run.go_on();
    if (run.partner(receive).rank != other.rank) return;
    Race race{receive, taken, run.partner(receive), {}, {}};
    if (!ends) {
      race.stuck = run.circle();
      if (!run.is_certain(race.stuck)) return;
    } else if (const std::optional<ActPlace> shorter = too_short(run, receive.rank)) {
      race.too_short = *shorter;
    } else {
      return;
    }
    tries = most_tries;
    races_.push_back(race);
  }

  // A receive of `rank` whose message is longer than its buffer, as the recorded one was not.
  std::optional<ActPlace> too_short(const Rerun& run, int rank) const {
    const std::vector<Act>& list = all_[static_cast<std::size_t>(rank)].list;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      const ActPlace here{rank, i};
      const ActPlace now = run.partner(here);
      if (list[i].kind != Act::receive || !now.exists() || now == recorded_.partner(here) || now == here)
        continue;
      if (act_at(all_, now).number <= list[i].number) continue;
      if (!run.saw_other_order(rank) && !run.saw_other_order(now.rank)) return here;
    }
    return std::nullopt;
  }

  using Call = std::pair<int, std::uint32_t>;  // of a process
  using Tried = std::tuple<int, std::uint32_t, int, std::uint32_t>;
  const std::vector<Acts>& all_;
  Rerun recorded_;
  std::uint64_t acts_ = 0, looked_at_ = 0;
  std::map<int, std::map<int, std::vector<ActPlace>>> sends_;  // by receiver and sender
  std::set<Call> dispatchers_;
  std::map<Tried, int> tries_;
  std::vector<Race> races_;
};

}  // namespace

std::vector<UnsafeSends> find_unsafe_sends(const std::vector<Acts>& all, std::size_t most) {
  std::vector<UnsafeSends> found;
  std::set<std::vector<std::pair<int, std::uint32_t>>> seen;
  Rerun run(all);
  run.let_sends_wait();
  for (int stops = 0; !run.go_on() && stops < most_stops && found.size() < most; ++stops) {
    const std::vector<ActPlace> circle = run.circle();
    std::vector<std::pair<int, std::uint32_t>> calls;
    bool any = false;
    for (const ActPlace place : circle) {
      const ActPlace message = run.awaited(place);
      calls.emplace_back(place.rank, act_at(all, place).call);
      if (act_at(all, message).kind != Act::send || !act_at(all, message).standard) continue;
      any = true;
      run.release(message);
    }
    if (!any) break;
    std::sort(calls.begin(), calls.end());
    if (seen.insert(calls).second) found.push_back(circle);
  }
  return found;
}

std::vector<Race> find_races(const std::vector<Acts>& all, std::size_t most) {
  return RaceSearch(all).run(most);
}

}  // namespace lapwing::sets
