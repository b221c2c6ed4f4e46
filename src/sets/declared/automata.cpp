// SPDX-License-Identifier: Apache-2.0
#include "sets/declared/automata.hpp"

#include <algorithm>
#include <cstdlib>

namespace lapwing::sets::declared {
namespace {

// Operands that a process holds at once, beside the result so far; a reduction
// that does not commute has one for every rank.
constexpr std::size_t operand_window = 16;

}  // namespace

void Automata::declare(std::unique_ptr<Declaration> owned) {
  const Entry entry(*this);
  Declaration& declaration = *owned;
  for (std::size_t i = 0; i < declaration.legs.size(); ++i) {
    const Leg& leg = declaration.legs[i];
    (leg.outgoing ? outgoing_ : incoming_)[leg.key] = {&declaration, i};
    if (!leg.outgoing) inquiries_.erase(leg.key);
  }
  declaration.reading = declaration.reads.begin != declaration.reads.end;
  declaration.writing = declaration.writes.begin != declaration.writes.end;
  order(declaration);
  declaration.index = pending_.size();
  pending_.push_back(std::move(owned));
  count_.store(pending_.size(), std::memory_order_release);
  if (declaration.waits == 0) ready_.push_back(&declaration);
  meet(declaration);
}

// Finds the accesses of older declarations to this one's memory that are still to come.
void Automata::order(Declaration& declaration) {
  for (const auto& older : pending_) {
    if (older->writing &&
        (older->writes.overlaps(declaration.reads) || older->writes.overlaps(declaration.writes))) {
      older->after_landing.push_back(&declaration);
      ++declaration.waits;
    }
    if (older->reading && older->reads.overlaps(declaration.writes)) {
      if (vacate(*older)) {
        touched_.push_back(older.get());
      } else {
        older->after_leaving.push_back(&declaration);
        ++declaration.waits;
      }
    }
  }
}

// Announcements may have come before the declaration.
void Automata::meet(Declaration& declaration) {
  if (declaration.kind == Kind::broadcast || declaration.kind == Kind::reduction) {
    if (!declaration.legs.empty()) {
      const Key& mine = declaration.legs[0].key;
      const std::uint32_t number = mine.number;
      collectives_[mine.comm] = number + 1;
      for (const auto& [key, early] : early_) {
        if (key.comm == mine.comm && key.collective && key.number == number && !outgoing_.contains(key))
          world_.differs(&declaration, key, early.terms);
      }
    }
  }
  for (std::size_t i = 0; i < declaration.legs.size(); ++i) {
    if (!declaration.legs[i].outgoing) continue;
    const auto found = early_.find(declaration.legs[i].key);
    if (found == early_.end()) continue;
    const Announcement early = found->second;
    early_.erase(found);
    announced(declaration.legs[i].key, early.terms, early.wire_tag);
  }
}

void Automata::announced(const Key& key, const Terms& terms, std::int32_t wire_tag) {
  const Entry entry(*this);
  const auto [declaration, leg] = outgoing(key);
  if (!declaration) {
    const auto so_far = collectives_.find(key.comm);
    if (key.collective && so_far != collectives_.end() && key.number < so_far->second)
      world_.differs(nullptr, key, terms);
    else if (closed_)
      world_.refuse(key, false);
    else
      early_[key] = {terms, wire_tag};
    return;
  }
  if (terms != declaration->terms) {
    world_.differs(declaration, key, terms);
    return;
  }
  leg->wire_tag = wire_tag;
  step(*declaration, *leg, Event::partner);
}

void Automata::inquired(const Key& key) {
  if (incoming(key).first) return;  // it will announce itself, or has
  const auto so_far = collectives_.find(key.comm);
  const bool another = key.collective && so_far != collectives_.end() && key.number < so_far->second;
  if (closed_ || another)
    world_.refuse(key, true);
  else
    inquiries_[key] = true;
}

Declaration* Automata::refused(const Key& key, bool outgoing) {
  const auto [declaration, leg] = find(outgoing ? outgoing_ : incoming_, key);
  if (!declaration) return nullptr;
  const bool answered = outgoing && leg->state != State::declared && leg->state != State::ready;
  return answered ? nullptr : declaration;
}

void Automata::close() {
  closed_ = true;
  for (const auto& [key, early] : early_) world_.refuse(key, false);
  for (const auto& [key, asked] : inquiries_) world_.refuse(key, true);
  early_.clear();
  inquiries_.clear();
}

std::vector<Key> Automata::unanswered() const {
  std::vector<Key> keys;
  for (const auto& [key, at] : outgoing_) {
    const State state = at.declaration->legs[at.leg].state;
    if (state == State::ready || state == State::declared) keys.push_back(key);
  }
  return keys;
}

std::pair<Declaration*, Leg*> Automata::find(Legs& legs, const Key& key) {
  const auto found = legs.find(key);
  if (found == legs.end()) return {nullptr, nullptr};
  return {found->second.declaration, &found->second.declaration->legs[found->second.leg]};
}

// An event that the automaton does not know in its state is a mistake of
// Lapwing's own: nothing sensible can follow.
void Automata::step(Declaration& declaration, Leg& leg, Event event) {
  const auto state = next(leg.outgoing, leg.state, event);
  if (!state) std::abort();
  leg.state = *state;
  world_.changed(declaration, leg);
  if (leg.state == State::moving) {
    leg.from_variable = declaration.from_variable;
    world_.move(declaration, leg);
  }
}

void Automata::finished(Declaration& declaration, Leg& leg) {
  const Entry entry(*this);
  if (leg.outgoing) {
    step(declaration, leg, Event::finished);
    outgoing_.erase(leg.key);
  } else {
    step(declaration, leg, Event::finished);
    incoming_.erase(leg.key);
    if (declaration.kind == Kind::reduction) {
      combine(declaration);
    } else {
      step(declaration, leg, Event::taken);
      declaration.writing = false;
      release(declaration.after_landing);
      declaration.available = true;
      offer(declaration);
    }
  }
  touched_.push_back(&declaration);
}

// The value is there: the process that asked for it gets it.
void Automata::offer(Declaration& declaration) {
  for (Leg& leg : declaration.legs) {
    if (leg.outgoing) step(declaration, leg, Event::memory);
  }
  if (!declaration.after_leaving.empty()) vacate(declaration);
}

void Automata::announce_operands(Declaration& declaration) {
  std::size_t held = 0;
  for (Leg& leg : declaration.legs) {
    if (leg.outgoing || held == operand_window) return;
    if (leg.state == State::done) continue;
    ++held;
    if (leg.state != State::declared) continue;
    step(declaration, leg, Event::memory);
    world_.announce(declaration, leg);
  }
}

void Automata::become_ready(Declaration& declaration) {
  const bool receives = declaration.kind != Kind::reduction && declaration.incoming() > 0;
  if (receives) {
    step(declaration, declaration.legs[0], Event::memory);
    world_.announce(declaration, declaration.legs[0]);
  } else {
    declaration.available = true;
    if (declaration.kind == Kind::reduction) {
      announce_operands(declaration);
      combine(declaration);
      if (!declaration.after_leaving.empty()) vacate(declaration);
    } else {
      offer(declaration);
    }
  }
  touched_.push_back(&declaration);
}

// Takes the operands that are there, in their order whatever the order of arrival.
void Automata::combine(Declaration& declaration) {
  const std::size_t incoming = declaration.incoming();
  if (declaration.combined == incoming + 1) return;
  while (declaration.combined <= incoming) {
    const std::size_t at = declaration.combined;
    if (at == declaration.own) {
      world_.combine(declaration, nullptr);
      ++declaration.combined;
      if (at > 0) declaration.from_variable = false;
      continue;
    }
    Leg& leg = declaration.legs[at < declaration.own ? at : at - 1];
    if (leg.state != State::landed) break;
    world_.combine(declaration, &leg);
    ++declaration.combined;
    step(declaration, leg, Event::taken);
    if (at > declaration.own) declaration.from_variable = false;
  }
  announce_operands(declaration);
  if (declaration.combined <= incoming) return;
  if (declaration.legs.size() == incoming) {  // the root
    world_.deliver(declaration);
    declaration.from_variable = false;
    declaration.writing = false;
    release(declaration.after_landing);
  } else {
    offer(declaration);
  }
}

bool Automata::needs_variable(const Declaration& declaration) const {
  for (const Leg& leg : declaration.legs) {
    if (leg.state == State::moving && leg.from_variable) return true;
  }
  if (!declaration.available) return declaration.reads.begin != declaration.reads.end;
  if (!declaration.from_variable) return false;
  return std::any_of(declaration.legs.begin(), declaration.legs.end(),
                     [](const Leg& leg) { return leg.state != State::done; });
}

// True if the program's memory is not read any more, by a copy if need be.
bool Automata::vacate(Declaration& declaration) {
  if (!declaration.reading) return true;
  if (!declaration.available) return false;
  if (declaration.from_variable) {
    const bool waiting = std::any_of(declaration.legs.begin(), declaration.legs.end(), [](const Leg& leg) {
      return leg.state != State::done && leg.state != State::moving;
    });
    if (waiting && !world_.copy(declaration)) return false;
    declaration.from_variable = false;
  }
  declaration.reading = needs_variable(declaration);
  touched_.push_back(&declaration);
  return !declaration.reading;
}

void Automata::release(std::vector<Declaration*>& waiting) {
  for (Declaration* later : waiting) {
    if (--later->waits == 0) ready_.push_back(later);
  }
  waiting.clear();
}

void Automata::settle(Declaration& declaration) {
  if (declaration.over) return;
  declaration.reading = declaration.reading && needs_variable(declaration);
  if (!declaration.reading) release(declaration.after_leaving);
  const bool finished = std::all_of(declaration.legs.begin(), declaration.legs.end(),
                                    [](const Leg& leg) { return leg.state == State::done; });
  if (!finished || declaration.reading || declaration.writing || declaration.waits > 0 ||
      !declaration.available)
    return;
  declaration.over = true;
  world_.ended(declaration);
  const std::size_t hole = declaration.index;
  over_.push_back(std::move(pending_[hole]));
  if (hole + 1 != pending_.size()) {
    pending_[hole] = std::move(pending_.back());
    pending_[hole]->index = hole;
  }
  pending_.pop_back();
  count_.store(pending_.size(), std::memory_order_release);
}

// One event may let many declarations go on; they do so one after the other when
// the outermost call returns. Objects live until the last of them is done.
void Automata::drain() {
  while (!ready_.empty() || !touched_.empty()) {
    if (!ready_.empty()) {
      Declaration* declaration = ready_.front();
      ready_.pop_front();
      become_ready(*declaration);
    } else {
      Declaration* declaration = touched_.front();
      touched_.pop_front();
      settle(*declaration);
    }
  }
  over_.clear();
}

bool Automata::usable(const Range& range) const {
  return std::none_of(pending_.begin(), pending_.end(), [&](const auto& declaration) {
    return declaration->writing && declaration->writes.overlaps(range);
  });
}

bool Automata::definable(const Range& range) {
  const Entry entry(*this);
  bool free = true;
  for (const auto& declaration : pending_) {
    if (declaration->writing && declaration->writes.overlaps(range)) free = false;
    if (declaration->reading && declaration->reads.overlaps(range)) free = vacate(*declaration) && free;
  }
  return free;
}

}  // namespace lapwing::sets::declared
