// SPDX-License-Identifier: Apache-2.0
// Requests of the program's behind which a stripped message may stand.
//
// The handle that the program holds is always a real one of MPI's. The engine
// remembers, by handle, those whose completion means more than MPI knows.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "transfer/decisions/sites.hpp"
#include "transfer/incoming.hpp"
#include "transfer/outgoing.hpp"
#include "transfer/posted.hpp"
#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {

/// The arguments of a program's send.
struct SendArguments {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int rank, tag;
  MPI_Comm comm;
  Caller caller;
  enum class Kind { standard, synchronous, ready, buffered } kind = Kind::standard;
  bool half = false;    ///< of an MPI_Sendrecv or the like, which is counted by itself
  bool proved = false;  ///< the program is known not to write to the buffer before the wait: no guard
  bool of_all = false;  ///< of a collective whose members have all agreed to strips
};

struct ReceiveArguments {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int rank, tag;
  MPI_Comm comm;
  Caller caller;
  bool half = false;    ///< of an MPI_Sendrecv or the like, which is counted by itself
  bool proved = false;  ///< the program does not touch the buffer before the wait: no guard
  bool apart = false;   ///< another message may be written to the same bytes meanwhile: through a copy
};

/// A request that MPI_Start starts. A probe may have taken the message that a receive is
/// to match out of MPI's hands, and the buffer's deferred transfers retire first.
struct Persistent {
  bool receives = false;
  Span span{};
  ReceiveArguments receive{};
  MPI_Datatype kept_type = MPI_DATATYPE_NULL;  ///< a duplicate that outlives the program's own
  std::shared_ptr<CommInfo> info{};            ///< of a receive
};

/// A receive of which a header may come, or the send of a stripped message.
///
///   idle -> posted <-> in_mpi        announced -> left -> guarded | unguarded
///     ^       |  found_*()  |
///     +- plain, stripped <--+
class Tracked {
 public:
  enum class State {
    idle,       ///< a persistent receive between its starts
    posted,     ///< a receive of which it is not known what comes
    in_mpi,     ///< likewise; a thread of the program's waits for it inside MPI, and no other may look
    plain,      ///< it has received a message, or an error, that is MPI's alone
    stripped,   ///< it has received a header: `incoming` brings the rest
    announced,  ///< a send whose header has not left
    left,       ///< its header has left
    guarded,    ///< and its buffer is closed to writes
    unguarded,  ///< which cannot be: the buffer must be free before the send ends
  };
  State state() const { return state_; }
  bool receives() const { return state_ < State::announced; }
  bool awaits_header() const { return state_ == State::posted || state_ == State::in_mpi; }
  /// The program's call may return; for the buffer of a send it may return without a guard, ask the transfer.
  bool may_return() const {
    return state_ == State::plain || (state_ == State::stripped && incoming->may_return());
  }

  // A receive.
  void post() {
    assert(receives());
    incoming.reset();
    state_ = State::posted;
  }
  void enter_mpi() {
    assert(awaits_header() || state_ == State::plain);
    if (state_ == State::posted) state_ = State::in_mpi;
  }
  /// MPI has given the thread back without it: any may look again.
  void leave_mpi() {
    if (state_ == State::in_mpi) state_ = State::posted;
  }
  void found_plain() {
    assert(receives() && state_ != State::idle);
    state_ = State::plain;
  }
  void found_header(int source, int tag, std::shared_ptr<Incoming> transfer) {
    assert(receives() && state_ != State::idle && transfer);
    envelope.MPI_SOURCE = source;
    envelope.MPI_TAG = tag;
    incoming = std::move(transfer);
    state_ = State::stripped;
  }
  /// A persistent one, completed for the program.
  void rest() {
    assert(persistent && receives());
    incoming.reset();
    substitute = MPI_REQUEST_NULL;
    error = MPI_SUCCESS;
    taken_early = false;
    state_ = State::idle;
  }

  // A send.
  void announce(std::shared_ptr<Outgoing> transfer) {
    outgoing = std::move(transfer);
    state_ = State::announced;
  }
  void header_left() {
    assert(state_ == State::announced);
    state_ = proved ? State::unguarded : State::left;
  }
  void tried_to_guard(bool closed) {
    assert(state_ == State::left);
    state_ = closed ? State::guarded : State::unguarded;
  }

  bool persistent = false;  ///< a receive
  // receive: what was posted
  Destination destination;
  MPI_Datatype kept_type = MPI_DATATYPE_NULL;  ///< a duplicate that outlives the program's own
  std::shared_ptr<CommInfo> info;
  Site* site = nullptr;
  std::uint64_t posted_ns = 0;  ///< by the clock
  std::shared_ptr<Incoming> incoming;
  /// Posted in place of a buffer in which a header might end within an element,
  /// or into which another receive may write.
  std::unique_ptr<char[]> bounce;
  Span posted{};                           ///< what PostedReceives knows of it
  bool abandoned = false;                  ///< freed by the program before it was matched
  MPI_Request partner = MPI_REQUEST_NULL;  ///< the sending half of an MPI_Isendrecv
  std::unique_ptr<char[]> partner_copy;    ///< what that half sends, where it is a copy
  MPI_Status envelope{};                   ///< source and tag of the matched header
  /// Completes in place of a persistent request whose message a probe had taken, or which MPI ended when the
  /// engine looked.
  MPI_Request substitute = MPI_REQUEST_NULL;
  int error = MPI_SUCCESS;   ///< which MPI ended it with, then
  bool taken_early = false;  ///< by a probe: the message goes straight to the program's buffer
  // send
  std::shared_ptr<Outgoing> outgoing;
  bool proved = false;  ///< the program is known not to write to the buffer before the wait: no guard

 private:
  State state_ = State::posted;
};

/// All calls need the engine's lock, but for any().
class Requests {
 public:
  static std::uint64_t key(const void* handle, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, handle, size);
    return value;
  }
  template <typename Handle>
  static std::uint64_t key(const Handle& handle) {
    return key(&handle, sizeof handle);
  }

  Tracked& add(MPI_Request request) {
    any_.store(true, std::memory_order_relaxed);
    Tracked& tracked = map_[key(request)];
    posted_.remove(tracked.posted, key(request));
    return tracked = Tracked{};
  }
  /// `tracked`, a receive behind `request`, may write to `span`. Where others may too, none of them defers.
  void post(Tracked& tracked, MPI_Request request, const Span& span);
  const PostedReceives& posted() const { return posted_; }
  Tracked* find(MPI_Request request) {
    const auto found = map_.find(key(request));
    return found == map_.end() ? nullptr : &found->second;
  }
  void remove(MPI_Request request);
  /// Requests whose header has not arrived: what the helper looks at.
  bool any_pending() const;
  std::unordered_map<std::uint64_t, Tracked>& all() { return map_; }

  /// Persistent requests, whether or not they are tracked.
  void keep(MPI_Request request, const Persistent& persistent);
  const Persistent* kept(MPI_Request request) const;
  void forget(MPI_Request request);
  static bool any_kept() { return any_kept_.load(std::memory_order_relaxed); }

  /// False only while no request is tracked: one load for the fast path.
  /// From now on no call is quiet: somebody wants to see each.
  static void see_all() { any_.store(true, std::memory_order_relaxed); }
  static bool any() { return any_.load(std::memory_order_relaxed); }

 private:
  static inline std::atomic<bool> any_{false}, any_kept_{false};
  std::unordered_map<std::uint64_t, Tracked> map_;
  PostedReceives posted_;
  std::unordered_map<std::uint64_t, Persistent> persistent_;
};

/// The MPI_Request whose key is `key`.
inline MPI_Request request_of(std::uint64_t key) {
  MPI_Request request;
  std::memcpy(&request, &key, sizeof request);
  return request;
}

}  // namespace lapwing::transfer
