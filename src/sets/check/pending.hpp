// SPDX-License-Identifier: Apache-2.0
// The requests of the program that a checked process follows, and what its
// counts say to others.
#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <unordered_map>

#include "mpi/looks.hpp"
#include "sets/check/buffer_watch.hpp"
#include "sets/check/in_flight.hpp"
#include "sets/check/waiting.hpp"
#include "sets/votes/agreement.hpp"
#include "transfer/requests.hpp"

namespace lapwing::sets {

/// A request of the program's.
struct Pending {
  enum Kind : std::uint8_t { send, receive, group, access };
  Kind kind = send;
  transfer::SendArguments::Kind mode = transfer::SendArguments::Kind::standard;  ///< of a send
  bool persistent = false, active = true, cancelled = false;
  Circle* circle = nullptr;
  int peer = 0, tag = 0;     ///< as the program gave them
  std::uint64_t number = 0;  ///< of the send on its channel, or of the group's call
  std::int64_t count = 0;
  Element element;          ///< of its datatype
  std::uint64_t bytes = 0;  ///< of its buffer
  const char* name = "";
  const void* returns_to = nullptr;
  Area area;  ///< its buffer, of a message
  InFlight::Ticket in_flight = nullptr;
  BufferWatch* watch = nullptr;
  int copies = 0;                   ///< others with the same handle
  bool ever_started = false;        ///< a persistent one
  const void* waited_at = nullptr;  ///< a wait for one that was not active, which ends at once
  static constexpr std::uint32_t not_recorded = ~0u;
  std::uint32_t act = not_recorded;  ///< its beginning in this process' History

  /// The program may use its memory again: for MPI, but that it has not been asked yet.
  void release() {
    InFlight::release(in_flight);
    in_flight = nullptr;
  }

  /// It has a partner and a tag.
  bool is_message() const { return kind == send || kind == receive; }
  bool may_be_looked_at() const { return !(persistent && mpi::looks_end_persistent); }
  /// The same, and what was received becomes the program's.
  void finish(std::size_t received) {
    release();
    BufferWatch::finish(watch, received);
    if (!(persistent && kind != send)) watch = nullptr;
  }
};

/// Partitioned messages match each other only: they have tags of their own.
constexpr int first_partitioned_tag = INT_MIN;
inline bool is_partitioned(int tag) { return tag < INT_MIN / 2; }
inline int shown_tag(int tag) { return is_partitioned(tag) ? tag - first_partitioned_tag : tag; }

/// Under the lock of Messages where several threads call MPI.
class PendingRequests {
 public:
  static std::uint64_t key(MPI_Request request) { return Circles::key(&request, sizeof request); }
  static Pending* find(MPI_Request request) {
    if (map_.empty()) return nullptr;
    const auto found = map_.find(key(request));
    return found == map_.end() ? nullptr : &found->second;
  }
  static Pending& add(MPI_Request request, const Pending& pending) {
    int copies = 0;
    if (Pending* former = find(request)) {
      // MPICH gives all sends that are complete at once one handle, by which they are not told apart.
      if (former->active && !former->persistent) copies = former->copies + 1;
      former->finish(0);
    }
    Pending& added = map_.insert_or_assign(key(request), pending).first->second;
    added.copies = copies;
    return added;
  }
  static void remove(MPI_Request request) {
    Pending* former = find(request);
    if (!former) return;
    former->release();
    if (former->copies-- == 0) map_.erase(key(request));
  }
  static std::unordered_map<std::uint64_t, Pending>& all() { return map_; }

 private:
  static inline std::unordered_map<std::uint64_t, Pending> map_;
};

/// Messages that a matched probe has taken and no receive yet: their number, and one of them.
class MatchedMessages {
 public:
  static void add(MPI_Message message, const Pending& pending) { map_[key(message)] = pending; }
  static void remove(MPI_Message message) {
    if (!map_.empty()) map_.erase(key(message));
  }
  static const Pending* any() { return map_.empty() ? nullptr : &map_.begin()->second; }
  static std::size_t count() { return map_.size(); }

 private:
  static std::uint64_t key(MPI_Message message) { return Circles::key(&message, sizeof message); }
  static inline std::unordered_map<std::uint64_t, Pending> map_;
};

/// The conditions for a request to complete that has not: edges of one clause. `goes_on` is
/// set where it may complete by itself.
void request_edges(MPI_Request request, int clause, Edges* edges);
/// "from rank 1 with tag 3"
std::string partner_text(const Pending& pending);

/// Of a receive that waits: a message from its partner that is here and that it does
/// not take, as words to add; or "".
std::string near_miss(const Pending& receive);

/// Messages from `peer` that receives have taken, those included that the
/// program has not asked about.
std::uint64_t received(Circle& circle, int peer, std::uint64_t tag);
/// This process has started more sends to `peer` than `count`.
bool has_sent_more(Circle& circle, int peer, std::uint64_t tag, std::uint64_t count);
/// The `number`th message of `peer`'s has been received, or a posted receive may
/// take it.
bool has_received(Circle& circle, int peer, int tag, std::uint64_t number);
/// The edges of a receive or probe of (peer, tag).
void message_edges(Circle& circle, int peer, int tag, int clause, Edges* edges);

}  // namespace lapwing::sets
