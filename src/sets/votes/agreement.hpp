// SPDX-License-Identifier: Apache-2.0
// What the members of a group must agree on in one call, and who they are.
//
// The calls of a group are numbered. Each member's signature of a call goes
// round in messages of doubling distance; combining is associative, commutative
// and idempotent, so after ceil(log2 n) rounds everyone knows whether all are
// equal. A member waits for one other at a time, which is what a wait-for graph
// needs.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sets/check/contents.hpp"
#include "sets/group_call.hpp"

namespace lapwing::sets {

/// 0 in a field: this member does not say.
struct Signature {
  enum Field { operation, root, reduction, data, reverse, in_place, same, fields };
  std::array<std::uint64_t, fields> field{};
  std::uint32_t wrong = 0;  ///< bit f: two members differ in field f

  void say(Field f, std::uint64_t value);
  void combine(const Signature& other);
};

/// The facts that a member tells about its call when something is wrong. Holds nothing
/// that may have been freed since.
struct Told {
  const char* name = "";
  Operation operation = Operation::barrier;
  Way way = Way::blocking;
  const void* returns_to = nullptr;
  const lapwing_call_site* site = nullptr;
  bool has_root = false, has_data = false;
  int root = 0;
  MPI_Count count = 0;
  const char* type = "";
  const char* op = "";
};

/// The wire: one member sends another so much in one call.
struct Amount {
  std::uint64_t circle, call, value;
  std::int64_t count;
  std::int32_t from, to;  ///< as members of the circle
  char type[32];
};

/// The bytes that this process sends to and expects from each member; empty where all
/// blocks are equal.
struct Blocks {
  std::vector<Amount> outgoing;
  std::vector<std::uint64_t> expected;  ///< by member; 0: nothing
};

/// A call that this process has made, until all are known to have made it.
struct Opened {
  Signature combined;
  int round = 0;
  bool done = false;
  std::vector<std::uint64_t> expected;
  int missing = 0;  ///< of what is expected
  Told told;

  bool settled() const { return done && missing == 0; }
};

/// How many messages between this process and one other with one tag.
struct Channel {
  std::uint64_t sent = 0, received = 0;
  bool uncertain = false;  ///< a send was cancelled
  const char* call = "";   ///< that sent last, and where
  const void* returns_to = nullptr;
  Contents sent_contents, received_contents;
};

/// The wire of an agreement.
struct RoundMessage {
  std::uint64_t circle, call;
  std::int32_t round, unused;
  Signature signature;
};

/// The members of a communicator, window or file, or of a group that makes one.
class Circle {
 public:
  Circle(std::uint64_t id, std::vector<int> members, int me);

  std::uint64_t id;
  std::vector<int> members;  ///< world ranks, in an order that all know
  int me;                    ///< where this process stands in it
  std::vector<int> peers;  ///< world ranks that ranks of point-to-point calls mean; empty without such calls
  bool inter = false;
  bool first_side = true;  ///< of an intercommunicator
  bool uncertain = false;  ///< receives happen here that are not counted
  MPI_Comm comm = MPI_COMM_NULL;
  std::string name;  ///< as a report calls it, or "" if made by `maker`
  Told maker;

  int size() const { return static_cast<int>(members.size()); }
  std::uint64_t calls() const { return calls_; }
  /// The next call of this process'. Its messages begin to travel.
  std::uint64_t open(const Signature& signature, const Told& told, const Blocks& blocks = {});
  Opened* find(std::uint64_t call);
  /// Forgets a call that is done.
  void close(std::uint64_t call);
  void take(const RoundMessage& message);
  void take(const Amount& amount);
  /// The member that must still send the message for which `call` waits.
  int awaited(const Opened& call) const { return members[static_cast<std::size_t>(from(call.round))]; }
  /// This process has sent the message of that round.
  bool has_sent(std::uint64_t call, int round) const;
  const std::map<std::uint64_t, Opened>& opened() const { return opened_; }

  Channel& channel(int peer, int tag) {
    return channels_[static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 32 |
                     static_cast<std::uint32_t>(tag)];
  }
  const std::unordered_map<std::uint64_t, Channel>& channels() const { return channels_; }
  std::string described() const;

 private:
  int from(int round) const;
  void send(std::uint64_t call, const Opened& opened) const;
  void advance(std::uint64_t call, Opened& opened);
  void next_round(std::uint64_t call, Opened& opened);
  void compare(std::uint64_t call, Opened& opened, const Amount& amount);

  int rounds_ = 0;
  std::uint64_t calls_ = 0;
  std::map<std::uint64_t, Opened> opened_;
  std::map<std::pair<std::uint64_t, int>, Signature> early_;
  std::multimap<std::uint64_t, Amount> early_amounts_;
  std::unordered_map<std::uint64_t, Channel> channels_;
};

/// All circles of this process. Under the lock of Messages.
class Circles {
 public:
  static void start();
  static Circle* add(std::uint64_t id, std::vector<int> members, int me);
  static Circle* by_id(std::uint64_t id);
  static const std::unordered_map<std::uint64_t, Circle*>& all() { return by_id_; }

  static std::uint64_t key(const void* handle, std::size_t size);
  template <typename Handle>
  static void bind(Handle handle, Circle* circle) {
    bound_[key(&handle, sizeof handle)] = circle;
    last_key_ = 0;
  }
  template <typename Handle>
  static void unbind(Handle handle) {
    bound_.erase(key(&handle, sizeof handle));
    last_key_ = 0;
  }
  /// Null if nothing is known of it.
  template <typename Handle>
  static Circle* of(Handle handle) {
    const std::uint64_t k = key(&handle, sizeof handle);
    if (k == last_key_) return last_;
    return look_up(k);
  }

 private:
  static Circle* look_up(std::uint64_t key);
  static inline std::unordered_map<std::uint64_t, Circle*> by_id_;
  static inline std::unordered_map<std::uint64_t, Circle*> bound_;
  static inline std::unordered_map<std::uint64_t, std::vector<RoundMessage>> strays_;
  static inline std::unordered_map<std::uint64_t, std::vector<Amount>> stray_amounts_;
  static inline std::uint64_t last_key_ = 0;
  static inline Circle* last_ = nullptr;
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b);

}  // namespace lapwing::sets
