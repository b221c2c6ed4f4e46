// SPDX-License-Identifier: Apache-2.0
#include "sets/declared/words.hpp"

#include <fmt/format.h>

#include "sets/declared/declared_comm.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::sets::declared {
namespace {

std::string peer(const Key& key) {
  const Comm* comm = Comm::find(key.comm);
  return comm ? fmt::format("rank {}", comm->rank_of(key.peer)) : fmt::format("world rank {}", key.peer);
}

std::string of_comm(const Key& key) {
  const Comm* comm = Comm::find(key.comm);
  return " of " + (comm ? comm->name() : std::string("a communicator that has been freed"));
}

}  // namespace

std::string partner(const Key& key) { return peer(key) + of_comm(key); }

std::string words(Kind kind, const Terms& terms) {
  switch (kind) {
    case Kind::send:
      return fmt::format("send of {} bytes", terms.bytes);
    case Kind::receive:
      return fmt::format("receive of {} bytes", terms.bytes);
    case Kind::broadcast:
      return fmt::format("broadcast of {} bytes from rank {}", terms.bytes, terms.root);
    case Kind::reduction:
      break;
  }
  return fmt::format("reduction of {} bytes to rank {}", terms.bytes, terms.root);
}

std::string words(const Declaration& declaration) {
  std::string text = words(declaration.kind, declaration.terms);
  if (declaration.legs.empty()) return text;
  const Key& key = declaration.legs[0].key;
  if (!key.collective) {
    text += declaration.kind == Kind::send ? " to " : " from ";
    text += fmt::format("{}, tag {}", peer(key), key.tag);
  }
  return text + of_comm(key);
}

std::string place(const Declaration& declaration) { return transfer::place_of(declaration.returns_to).site; }

std::string words(const Declaration& declaration, const Leg& leg) {
  if (declaration.waits > 0 && leg.state == State::declared)
    return fmt::format("declared ({} rank {}), waits for {} older", leg.outgoing ? "to" : "from",
                       leg.key.peer, declaration.waits);
  return fmt::format("{} ({} {})", name(leg.state), leg.outgoing ? "to" : "from", peer(leg.key));
}

}  // namespace lapwing::sets::declared
