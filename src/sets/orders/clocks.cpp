// SPDX-License-Identifier: Apache-2.0
#include "sets/orders/clocks.hpp"

#include <algorithm>

namespace lapwing::sets {

Clocks::Clocks(const std::vector<Acts>& all, const std::vector<std::vector<std::uint32_t>>& places)
    : all_(all), places_(places), recorded_(all), processes_(all.size()), known_(all.size()) {
  recorded_.go_on();
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    processes_[rank].now.resize(all.size());
    known_[rank].resize(places[rank].size());
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < all.size(); ++rank) moved = advance(static_cast<int>(rank)) || moved;
  }
}

void Clocks::join(Known* known, const Known& other) {
  for (std::size_t i = 0; i < known->size(); ++i) (*known)[i] = std::max((*known)[i], other[i]);
}

void Clocks::learn_all(int rank) {
  Known& now = processes_[static_cast<std::size_t>(rank)].now;
  std::fill(now.begin(), now.end(), everything);
}

void Clocks::note_places(int rank) {
  const auto r = static_cast<std::size_t>(rank);
  Process& own = processes_[r];
  for (; own.next_place < places_[r].size() && places_[r][own.next_place] <= own.next; ++own.next_place)
    known_[r][own.next_place] = own.now;
}

bool Clocks::advance(int rank) {
  const auto r = static_cast<std::size_t>(rank);
  Process& own = processes_[r];
  const std::uint32_t before = own.next;
  for (;;) {
    note_places(rank);
    if (own.next >= all_[r].list.size() || !passes(rank, all_[r].list[own.next])) break;
    ++own.next;
    own.now[r] = std::max(own.now[r], own.next);
    own.in_call = false;
  }
  return own.next != before;
}

bool Clocks::passes(int rank, const Act& act) {
  const auto r = static_cast<std::size_t>(rank);
  Process& own = processes_[r];
  const ActPlace here{rank, own.next};
  switch (act.kind) {
    case Act::send:
    case Act::receive: {
      // A synchronous send learns from its receive.
      const ActPlace partner = recorded_.partner(here);
      const bool tells =
          act.kind == Act::send ||
          (partner.exists() && all_[static_cast<std::size_t>(partner.rank)].list[partner.act].must_wait);
      own.now[r] = std::max(own.now[r], own.next + 1);
      if (tells) told_[{rank, own.next}] = own.now;
      return true;
    }
    case Act::wait:
    case Act::seen:
      return learn_message(rank, {rank, act.subject});
    case Act::together:
      return learn_meeting(rank, act, true);
    case Act::joins:
      own.now[r] = std::max(own.now[r], own.next + 1);
      return learn_meeting(rank, act, false);
    case Act::joined:
      return learn_meeting(rank, all_[r].list[act.subject], true);
    case Act::none:
      return true;
  }
  return true;
}

bool Clocks::learn_message(int rank, ActPlace message) {
  const Act& act = all_[static_cast<std::size_t>(rank)].list[message.act];
  if (act.kind == Act::none || (act.kind == Act::send && !act.must_wait)) return true;
  const ActPlace partner = recorded_.partner(message);
  if (!partner.exists() || partner == message) {
    learn_all(rank);
    return true;
  }
  const auto told = told_.find({partner.rank, partner.act});
  if (told == told_.end()) return processes_[static_cast<std::size_t>(partner.rank)].next > partner.act;
  join(&processes_[static_cast<std::size_t>(rank)].now, told->second);
  told_.erase(told);
  return true;
}

bool Clocks::learn_meeting(int rank, const Act& act, bool waits) {
  Process& own = processes_[static_cast<std::size_t>(rank)];
  Met& met = met_[{act.circle, act.number}];
  const bool comes = act.kind == Act::joins ? !waits : !own.in_call;
  if (comes) {
    own.now[static_cast<std::size_t>(rank)] = std::max(own.now[static_cast<std::size_t>(rank)], own.next + 1);
    own.in_call = true;
    ++met.come;
    if (met.known.empty()) met.known = own.now;
    join(&met.known, own.now);
  }
  if (!waits) return true;
  if (met.come < act.members) return false;
  join(&own.now, met.known);
  return true;
}

}  // namespace lapwing::sets
