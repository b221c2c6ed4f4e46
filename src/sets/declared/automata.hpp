// SPDX-License-Identifier: Apache-2.0
// The declared communications of one process: their automata, and what each
// waits for. Knows no MPI; whoever moves the bytes is behind World.
//
// Program order makes the versions: a declaration that reads memory waits for
// older ones that have still to write it; one that writes waits for both kinds.
// A value that only waits for its receiver is copied out of the way of a later
// write, so sends never hold up anything, and what a sequential program with
// buffered sends can do ends here too.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sets/declared/leg.hpp"

namespace lapwing::sets::declared {

enum class Kind : std::uint8_t { send, receive, broadcast, reduction };

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool overlaps(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// A receiver's description of a leg. Both sides must agree on all of it.
struct Terms {
  std::uint64_t bytes = 0;
  std::int32_t root = -1;
  Kind kind = Kind::send;  ///< send for both ends of one
  bool operator==(const Terms&) const = default;
};

/// Owned by Automata from declare() until World::ended().
struct Declaration {
  virtual ~Declaration() = default;

  Kind kind = Kind::send;
  Terms terms;
  Range reads, writes;  ///< memory of the program; empty where there is none
  /// Incoming first. Those of a reduction are its operands, in their order, and
  /// its own value stands before the incoming one of index `own`.
  std::vector<Leg> legs;
  std::size_t own = 0;
  const void* returns_to = nullptr;  ///< into the code that declared it

  // Kept by Automata.
  bool reading = false, writing = false;  ///< the program's memory is still needed
  bool available = false;                 ///< the value to pass on or to combine is there
  bool from_variable = true;              ///< ... and lies in the program's memory
  std::size_t combined = 0;               ///< operands so far
  int waits = 0;                          ///< for older declarations
  bool over = false;
  std::size_t index = 0;
  std::vector<Declaration*> after_landing, after_leaving;

  std::size_t incoming() const {
    std::size_t count = 0;
    while (count < legs.size() && !legs[count].outgoing) ++count;
    return count;
  }
};

class World {
 public:
  virtual ~World() = default;
  /// Prepares for the bytes of an incoming leg and tells the sender.
  virtual void announce(Declaration& declaration, Leg& leg) = 0;
  /// Starts to send the value; Automata::finished() follows, now or later.
  virtual void move(Declaration& declaration, Leg& leg) = 0;
  /// Copies the value out of the program's memory; false where there is no room.
  virtual bool copy(Declaration& declaration) = 0;
  /// The next operand of a reduction: an incoming leg that has landed, or its own value
  /// if null. The first becomes the result so far.
  virtual void combine(Declaration& declaration, Leg* leg) = 0;
  /// The result of a reduction enters the variable of its root.
  virtual void deliver(Declaration& declaration) = 0;
  /// All of it has happened; the object goes away soon.
  virtual void ended(Declaration&) {}
  virtual void changed(const Declaration&, const Leg&) {}
  /// A receiver announced other terms than were declared here, or (null) a
  /// collective that has no such leg here.
  virtual void differs(const Declaration* here, const Key& key, const Terms& theirs) = 0;
  /// Tells the peer that this process will never declare its side of the leg, which
  /// goes out there if `outgoing`.
  virtual void refuse(const Key& key, bool outgoing) = 0;
};

class Automata {
 public:
  explicit Automata(World& world) : world_(world) {}

  /// Takes its place in program order. Never waits.
  void declare(std::unique_ptr<Declaration> declaration);

  /// A message: the receiver of an outgoing leg has announced itself.
  void announced(const Key& key, const Terms& terms, std::int32_t wire_tag);
  /// A message: the sender of an incoming leg asks whether it will ever be declared.
  void inquired(const Key& key);
  /// A message: the peer will never declare its side of the leg, which goes out here if
  /// `outgoing`. The transfer that therefore cannot happen; null if it has been answered since: values
  /// overtake inquiries, and a leg that has ended there was asked for in vain.
  Declaration* refused(const Key& key, bool outgoing);
  /// The leg's bytes have left or arrived.
  void finished(Declaration& declaration, Leg& leg);
  /// The declaration and leg with that key; nulls if there is none.
  std::pair<Declaration*, Leg*> incoming(const Key& key) { return find(incoming_, key); }
  std::pair<Declaration*, Leg*> outgoing(const Key& key) { return find(outgoing_, key); }

  /// Whether the program may read, or write, that memory now. `definable` copies
  /// what it can.
  bool usable(const Range& range) const;
  bool definable(const Range& range);

  /// The program declares nothing more: others are told that theirs never happen.
  void close();

  /// Legs whose receiver has not announced itself.
  std::vector<Key> unanswered() const;

  const std::vector<std::unique_ptr<Declaration>>& pending() const { return pending_; }
  /// May be read by any thread without a lock.
  std::size_t pending_count() const { return count_.load(std::memory_order_acquire); }

 private:
  class Entry {
   public:
    explicit Entry(Automata& automata) : automata_(automata) { ++automata_.depth_; }
    ~Entry() {
      if (automata_.depth_ == 1) automata_.drain();
      --automata_.depth_;
    }

   private:
    Automata& automata_;
  };
  struct At {
    Declaration* declaration;
    std::size_t leg;
  };
  using Legs = std::unordered_map<Key, At, KeyHash>;
  struct Announcement {
    Terms terms;
    std::int32_t wire_tag;
  };
  static std::pair<Declaration*, Leg*> find(Legs& legs, const Key& key);

  void order(Declaration& declaration);
  void meet(Declaration& declaration);
  void step(Declaration& declaration, Leg& leg, Event event);
  void offer(Declaration& declaration);
  void announce_operands(Declaration& declaration);
  void become_ready(Declaration& declaration);
  void combine(Declaration& declaration);
  bool vacate(Declaration& declaration);
  bool needs_variable(const Declaration& declaration) const;
  void settle(Declaration& declaration);
  void release(std::vector<Declaration*>& waiting);
  void drain();

  World& world_;
  std::vector<std::unique_ptr<Declaration>> pending_, over_;
  std::atomic<std::size_t> count_{0};
  Legs incoming_, outgoing_;
  std::unordered_map<Key, Announcement, KeyHash> early_;  ///< announcements of what is not declared here yet
  std::unordered_map<Key, bool, KeyHash> inquiries_;
  std::unordered_map<std::uint64_t, std::uint32_t> collectives_;  ///< declared so far, by communicator
  std::deque<Declaration*> ready_, touched_;
  int depth_ = 0;
  bool closed_ = false;
};

}  // namespace lapwing::sets::declared
