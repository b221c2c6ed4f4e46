// SPDX-License-Identifier: Apache-2.0
#include "sets/orders/history.hpp"

#include <unordered_map>

#include "sets/check/p2p_waits.hpp"
#include "sets/check/pending.hpp"

namespace lapwing::sets {

void History::start(std::size_t most) { most_ = most; }

std::uint32_t History::call_index(const Told& told) {
  static auto& known = *new std::unordered_map<const void*, std::uint32_t>;
  const auto [found, is_new] = known.try_emplace(told.returns_to, static_cast<std::uint32_t>(calls_.size()));
  if (is_new) calls_.push_back(told);
  return found->second;
}

Act* History::add(Act::Kind kind, const Told& told) {
  if (!acts_.whole || most_ == 0) return nullptr;
  if (acts_.list.size() >= most_) {
    ends();
    return nullptr;
  }
  Act act;
  act.kind = kind;
  act.call = call_index(told);
  acts_.list.push_back(act);
  return &acts_.list.back();
}

void History::begins(Pending* pending) {
  using Mode = transfer::SendArguments::Kind;
  pending->act = Pending::not_recorded;
  if (!pending->circle) return;
  const bool sends = pending->kind == Pending::send;
  Act* const act = add(sends ? Act::send : Act::receive, told_of(*pending));
  if (!act) return;
  pending->act = size() - 1;
  act->circle = pending->circle->id;
  act->peer = pending->peer == MPI_ANY_SOURCE
                  ? Act::any
                  : pending->circle->peers[static_cast<std::size_t>(pending->peer)];
  act->tag = pending->tag == MPI_ANY_TAG ? Act::any : pending->tag;
  act->number = pending->bytes;
  act->standard = sends && pending->mode == Mode::standard;
  act->must_wait = sends && pending->mode == Mode::synchronous;
}

void History::took(const Pending& pending, int source, int tag) {
  if (pending.act == Pending::not_recorded) return;
  Act& act = acts_.list[pending.act];
  if (source < 0 || static_cast<std::size_t>(source) >= pending.circle->peers.size()) return ends();
  act.source = pending.circle->peers[static_cast<std::size_t>(source)];
  act.source_tag = tag;
}

void History::cancelled(const Pending& pending) {
  if (pending.act != Pending::not_recorded) acts_.list[pending.act].kind = Act::none;
}

void History::waited(const Pending& pending, const Told& told) {
  if (pending.act == Pending::not_recorded) return;
  if (Act* const act = add(Act::wait, told)) act->subject = pending.act;
}

void History::seen(const Pending& pending, const Told& told) {
  if (pending.act == Pending::not_recorded) return;
  const bool group = pending.kind == Pending::group;
  if (Act* const act = add(group ? Act::joined : Act::seen, told)) act->subject = pending.act;
}

void History::joins(Pending* pending, const Told& told) {
  pending->act = Pending::not_recorded;
  Act* const act = add(Act::joins, told);
  if (!act) return;
  pending->act = size() - 1;
  act->circle = pending->circle->id;
  act->number = pending->number;
  act->members = pending->circle->size();
}

void History::signals(const Circle& circle, int peer, int tag, const Told& told) {
  Act* const act = add(Act::send, told);
  if (!act) return;
  act->circle = circle.id;
  act->peer = peer;
  act->tag = tag;
}

void History::awaits(const Circle& circle, int peer, int tag, const Told& told) {
  Act* const act = add(Act::receive, told);
  if (!act) return;
  act->circle = circle.id;
  act->peer = act->source = peer;
  act->tag = act->source_tag = tag;
  const std::uint32_t place = size() - 1;
  if (Act* const wait = add(Act::wait, told)) wait->subject = place;
}

void History::met(const Circle& circle, std::uint64_t number, const Told& told) {
  Act* const act = add(Act::together, told);
  if (!act) return;
  act->circle = circle.id;
  act->number = number;
  act->members = circle.size();
}

void History::ends() { acts_.whole = false; }

}  // namespace lapwing::sets
