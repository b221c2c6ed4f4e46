// SPDX-License-Identifier: Apache-2.0
#include "sets/orders/rerun.hpp"

#include <algorithm>

namespace lapwing::sets {

Rerun::Rerun(const std::vector<Acts>& all) : all_(all), processes_(all.size()), is_awake_(all.size(), false) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    processes_[rank].states.resize(all[rank].list.size());
    for (std::size_t i = 0; i < all[rank].list.size(); ++i)
      processes_[rank].states[i].preferred = all[rank].list[i].source;
    wake(static_cast<int>(rank));
  }
}

void Rerun::prefer(ActPlace receive, int source) { state_of(receive).preferred = source; }

void Rerun::wake(int rank) {
  if (is_awake_[static_cast<std::size_t>(rank)]) return;
  is_awake_[static_cast<std::size_t>(rank)] = true;
  awake_.push_back(rank);
}

bool Rerun::go_on() {
  for (;;) {
    while (!awake_.empty()) {
      const int rank = awake_.front();
      awake_.pop_front();
      is_awake_[static_cast<std::size_t>(rank)] = false;
      advance(rank);
    }
    if (!take_another() && !pass_over_seen() && !suppose_unknown()) break;
  }
  for (std::size_t rank = 0; rank < processes_.size(); ++rank)
    if (!has_ended(static_cast<int>(rank))) return false;
  return true;
}

void Rerun::advance(int rank) {
  while (!has_ended(rank) && passes(rank)) {
    ++process(rank).next;
    process(rank).in_call = false;
  }
}

// The process makes its next act; false if it has to wait there.
bool Rerun::passes(int rank) {
  const ActPlace here{rank, next_of(rank)};
  const Act& act = act_at(here);
  switch (act.kind) {
    case Act::send:
      post_send(here);
      return true;
    case Act::receive:
      post_receive(here);
      return true;
    case Act::wait:
      return is_complete({rank, act.subject});
    case Act::seen:
      return state_of(here).released || is_complete({rank, act.subject});
    case Act::together:
      return meets(rank, act);
    case Act::joins:
    case Act::joined:
    case Act::none:
      return true;
  }
  return true;
}

bool Rerun::is_complete(ActPlace place) const {
  const Act& act = act_at(place);
  const State& state = state_of(place);
  if (state.partner.exists() || act.kind == Act::none) return true;
  if (act.kind != Act::send) return false;
  return state.released || !(act.must_wait || (act.standard && sends_wait_));
}

bool Rerun::meets(int rank, const Act& act) {
  std::vector<int>& come = come_[{act.circle, act.number}];
  Process& own = process(rank);
  if (!own.in_call) {
    own.in_call = true;
    come.push_back(rank);
    if (static_cast<int>(come.size()) == act.members)
      for (const int other : come) wake(other);
  }
  return static_cast<int>(come.size()) >= act.members;
}

bool Rerun::accepts(ActPlace receive, ActPlace send) const {
  const Act& wanted = act_at(receive);
  const Act& message = act_at(send);
  if (wanted.circle != message.circle) return false;
  if (wanted.peer != Act::any && wanted.peer != send.rank) return false;
  if (wanted.tag != Act::any && wanted.tag != message.tag) return false;
  const State& state = state_of(receive);
  if (state.released) return true;
  if (wanted.peer == Act::any && state.preferred != Act::any && state.preferred != send.rank) return false;
  // The tag that it had says nothing about another source's message.
  return wanted.tag != Act::any || state.preferred != wanted.source || wanted.source_tag == Act::any ||
         wanted.source_tag == message.tag;
}

void Rerun::post_send(ActPlace send) {
  const int to = act_at(send).peer;
  std::deque<std::uint32_t>& receives = process(to).receives;
  for (auto i = receives.begin(); i != receives.end(); ++i) {
    const ActPlace receive{to, *i};
    if (!accepts(receive, send)) continue;
    receives.erase(i);
    return match(send, receive);
  }
  process(to).arrived.push_back(send);
}

void Rerun::post_receive(ActPlace receive) {
  std::deque<ActPlace>& arrived = process(receive.rank).arrived;
  for (auto i = arrived.begin(); i != arrived.end(); ++i) {
    const ActPlace send = *i;
    if (!accepts(receive, send)) continue;
    arrived.erase(i);
    return match(send, receive);
  }
  process(receive.rank).receives.push_back(receive.act);
}

void Rerun::match(ActPlace send, ActPlace receive) {
  state_of(send).partner = receive;
  state_of(receive).partner = send;
  wake(send.rank);
  wake(receive.rank);
}

// The first receive for which another message is here than the one that it waits for takes that one.
bool Rerun::take_another() {
  for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
    Process& own = processes_[rank];
    for (auto r = own.receives.begin(); r != own.receives.end(); ++r) {
      const ActPlace receive{static_cast<int>(rank), *r};
      State& state = state_of(receive);
      if (state.released) continue;
      state.released = true;
      const auto message = std::find_if(own.arrived.begin(), own.arrived.end(),
                                        [&](ActPlace send) { return accepts(receive, send); });
      state.released = message != own.arrived.end();
      if (!state.released) continue;
      const ActPlace send = *message;
      own.arrived.erase(message);
      own.receives.erase(r);
      match(send, receive);
      return true;
    }
  }
  return false;
}

// A process that waited for any of several requests could have seen another one first. The first process that
// stands at such an act goes on without it.
bool Rerun::pass_over_seen() {
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const int rank = static_cast<int>(i);
    if (has_ended(rank) || act_at({rank, next_of(rank)}).kind != Act::seen) continue;
    state_of({rank, next_of(rank)}).released = true;
    process(rank).saw_other_order = true;
    wake(rank);
    return true;
  }
  return false;
}

// A process that may do anything may have done what the others wait for.
bool Rerun::suppose_unknown() {
  bool unknown = false;
  for (std::size_t rank = 0; rank < processes_.size(); ++rank)
    unknown = unknown || may_do_anything(static_cast<int>(rank));
  if (!unknown) return false;
  bool moved = false;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const int rank = static_cast<int>(i);
    if (has_ended(rank)) continue;
    const ActPlace place = awaited({rank, next_of(rank)});
    const Act& act = act_at(place);
    const int other = act.kind == Act::together ? Act::any : waits_for(place);
    if (other != Act::any && !may_do_anything(other)) continue;
    moved = true;
    if (act.kind == Act::together) {
      come_[{act.circle, act.number}].resize(static_cast<std::size_t>(act.members), rank);
    } else {
      state_of(place).partner = place;
    }
    wake(rank);
  }
  return moved;
}

ActPlace Rerun::awaited(ActPlace here) const {
  return act_at(here).kind == Act::wait ? ActPlace{here.rank, act_at(here).subject} : here;
}

// The process whose act must come; Act::any where it is not known.
int Rerun::waits_for(ActPlace place) const {
  const Act& act = act_at(place);
  if (act.kind == Act::send) return act.peer;
  if (act.kind == Act::receive) return act.peer != Act::any ? act.peer : state_of(place).preferred;
  const auto come = come_.find({act.circle, act.number});
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const int rank = static_cast<int>(i);
    if (come != come_.end() && std::count(come->second.begin(), come->second.end(), rank) != 0) continue;
    for (std::uint32_t next = next_of(rank); next < acts(rank).size(); ++next) {
      const Act& other = acts(rank)[next];
      if (other.kind == Act::together && other.circle == act.circle && other.number == act.number)
        return rank;
    }
  }
  return Act::any;
}

bool Rerun::is_certain(const std::vector<ActPlace>& stuck) const {
  return std::none_of(stuck.begin(), stuck.end(), [&](ActPlace place) {
    const int other = waits_for(awaited(place));
    return saw_other_order(place.rank) || (other != Act::any && saw_other_order(other));
  });
}

std::vector<ActPlace> Rerun::circle() const {
  std::vector<ActPlace> path;
  int rank = 0;
  while (rank < static_cast<int>(processes_.size()) && has_ended(rank)) ++rank;
  while (rank != Act::any && rank < static_cast<int>(processes_.size()) && !has_ended(rank)) {
    const auto seen =
        std::find_if(path.begin(), path.end(), [&](ActPlace place) { return place.rank == rank; });
    if (seen != path.end()) return {seen, path.end()};
    path.push_back({rank, next_of(rank)});
    rank = waits_for(awaited(path.back()));
  }
  return path;
}

void Rerun::release(ActPlace send) {
  state_of(send).released = true;
  wake(send.rank);
}

}  // namespace lapwing::sets
