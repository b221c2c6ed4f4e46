// SPDX-License-Identifier: Apache-2.0
// Requests of the program's behind which a stripped message may stand.
//
// The handle that the program holds is always a real one of MPI's. The engine
// remembers, by handle, those whose completion means more than MPI knows.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <unordered_map>

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
  bool proved = false;  ///< nobody writes to the buffer before the wait: no guard
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
  bool proved = false;  ///< nobody touches the buffer before the wait: no guard
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

struct Tracked {
  enum class Kind { receive, send };
  Kind kind = Kind::receive;
  bool persistent = false;
  bool active = true;
  // receive: what was posted, until a header shows that it is stripped
  Destination destination;
  MPI_Datatype kept_type = MPI_DATATYPE_NULL;  ///< a duplicate that outlives the program's own
  std::shared_ptr<CommInfo> info;
  Site* site = nullptr;
  std::shared_ptr<Incoming> incoming;
  bool known_plain = false;
  bool in_mpi = false;  ///< a thread of the program's waits for it inside MPI: only that thread may look
  /// Posted in place of a buffer in which a header might end within an element,
  /// or into which another receive may write.
  std::unique_ptr<char[]> bounce;
  Span posted{};                           ///< what PostedReceives knows of it
  bool abandoned = false;                  ///< freed by the program before it was matched
  MPI_Request partner = MPI_REQUEST_NULL;  ///< the sending half of an MPI_Isendrecv
  std::unique_ptr<char[]> partner_copy;    ///< what that half sends, where it is a copy
  MPI_Status envelope{};                   ///< source and tag of the matched header
  /// Completes in place of a persistent request whose message a probe had taken.
  MPI_Request substitute = MPI_REQUEST_NULL;
  bool ended_by_look =
      false;  ///< it is persistent, and MPI ended it when the engine looked: the substitute tells
  // send
  std::shared_ptr<Outgoing> outgoing;
  bool header_complete = false, guard_tried = false, guarded = false;
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
