// SPDX-License-Identifier: Apache-2.0
// The finite automaton of a declared communication, seen by one process towards
// one other: a *leg*. A send or a receive has one leg; broadcasts and reductions
// have one for each neighbour in their tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace lapwing::sets::declared {

/// Which transfer between two processes. Both sides make the same key, but for
/// the peer, from the communicator, the tag and how many came before.
struct Key {
  std::uint64_t comm = 0;
  std::int32_t peer = 0;        ///< world rank of the other process
  std::int32_t tag = 0;         ///< 0 for collective ones
  std::uint32_t number = 0;     ///< of this channel, or of the communicator's collective ones
  std::uint8_t collective = 0;  ///< 1: a leg of a broadcast or reduction
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t hash = key.comm;
    const std::uint64_t words[] = {static_cast<std::uint32_t>(key.peer), static_cast<std::uint32_t>(key.tag),
                                   key.number, key.collective};
    for (const std::uint64_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
  }
};

enum class State : std::uint8_t {
  declared,   ///< neither the memory here nor the partner is ready
  asked,      ///< outgoing: the receiver is ready, the value is not defined yet
  ready,      ///< outgoing: the value is defined, the receiver is not ready
  announced,  ///< incoming: the memory is free and the sender has been told
  moving,     ///< outgoing: bytes are on their way
  landed,     ///< incoming: the bytes are here, but not yet combined
  done,
};

enum class Event : std::uint8_t {
  memory,    ///< the memory here holds the value to send, or is free to receive
  partner,   ///< the receiver has announced itself
  finished,  ///< the bytes have left, or arrived
  taken,     ///< what arrived has been combined, or is in the variable
};

/// Where the event leads; nothing if it cannot happen in that state.
constexpr std::optional<State> next(bool outgoing, State state, Event event) {
  if (outgoing) {
    if (state == State::declared && event == Event::memory) return State::ready;
    if (state == State::declared && event == Event::partner) return State::asked;
    if (state == State::asked && event == Event::memory) return State::moving;
    if (state == State::ready && event == Event::partner) return State::moving;
    if (state == State::moving && event == Event::finished) return State::done;
    return std::nullopt;
  }
  if (state == State::declared && event == Event::memory) return State::announced;
  if (state == State::announced && event == Event::finished) return State::landed;
  if (state == State::landed && event == Event::taken) return State::done;
  return std::nullopt;
}

constexpr const char* name(State state) {
  constexpr const char* names[] = {"declared", "asked", "ready", "announced", "moving", "landed", "done"};
  return names[static_cast<int>(state)];
}

struct Leg {
  Key key;
  bool outgoing = false;
  State state = State::declared;
  bool from_variable = false;  ///< moving out of the program's own memory
  std::int32_t wire_tag = 0;   ///< where the bytes travel, as the receiver said
};

}  // namespace lapwing::sets::declared
