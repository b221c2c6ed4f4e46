// SPDX-License-Identifier: Apache-2.0
// Run mode: the program's messages, as watch.hpp needs them to know that one never comes.
//
// A process waits for a message for ever where its sender has sent no more of this tag than it
// has received from it, and in a synchronous send where the other has begun no more receives
// than it has sent messages before. The first comparison needs what is sent at least once
// counted and the second each receive that begins; what is counted too often keeps the watch
// silent. Used by one thread; Lapwing's helper reads the shared counts only.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sets/family.hpp"
#include "sets/run/handle_map.hpp"
#include "sets/run/message_counts.hpp"

namespace lapwing::sets {

/// Something that a process which waits needs of one neighbour, or of all that have a bit.
struct MessageNeed {
  enum class Kind : std::uint32_t { receive, any_source, synchronous };
  static constexpr unsigned all_columns = 255;

  Kind kind = Kind::receive;
  std::uint64_t comm = 0;
  std::uint64_t number = 0;  ///< received so far; or, of a synchronous send, sent with it
  std::uint64_t places = 0;
  unsigned column = 0;
  bool same(const MessageNeed& other) const {
    return kind == other.kind && comm == other.comm && places == other.places && column == other.column;
  }
};

/// With one other process of a communicator.
struct MessageChannel {
  MessageCounts::Block* block = nullptr;  ///< null: a process of another node, or no room
  std::uint64_t places = 0;               ///< its bit
  std::uint64_t received[MessageCounts::columns] = {};
  std::uint64_t received_any = 0;  ///< the sum
  int tag_in[MessageCounts::columns - MessageCounts::columns_of_one_tag];
  std::uint32_t unsure = 0;  ///< columns in which more than one tag was sent, or a send failed
};

/// The messages of a communicator.
struct MessageChannels {
  Family* family = nullptr;
  std::uint64_t near = 0;  ///< the members of this node
  bool all_near = false;
  std::uint64_t received[MessageCounts::columns] = {};  ///< from any rank
  std::uint64_t received_any = 0;
  MessageCounts::Block* from_any = nullptr;
  bool met_any = false;               ///< null since then: no room
  std::vector<MessageChannel*> with;  ///< by rank; null: not met yet
  std::deque<MessageChannel> met;
};

/// A receive or a synchronous send that the program has begun, or may begin again.
struct MessageRequest {
  MessageChannels* channels = nullptr;
  int rank = 0, tag = 0;
  const char* call = nullptr;
  const void* returns_to = nullptr;
  std::uint64_t number = 0;  ///< of a synchronous send; 0: cannot be decided
  bool receives = true, synchronous = false, persistent = false, active = true;
};

class MessageWatch {
 public:
  /// `places`: of the node's processes, by rank in the world; -1 elsewhere.
  MessageWatch(MessageCounts::Shared& shared, const std::vector<int>& places)
      : counts_(shared), places_(places) {}

  /// Null where the communicator is not watched: it was not known when it was made.
  MessageChannels* channels(MPI_Comm comm) {
    const Cached& at = cached(comm);
    return at.comm == comm && at.channels ? at.channels : look_up(comm);
  }

  /// A message is about to be sent. Its number among those of its tag, or 0 if that is not known.
  std::uint64_t sends(MessageChannels* of, int rank, int tag);
  /// It may send there now and then, unseen.
  void sends_often(MPI_Comm comm, int rank);
  /// This send has failed, or has been cancelled: it is not known how many there are.
  void did_not_send(MPI_Comm comm, int rank, int tag);
  void may_not_have_sent() { sure_ = false; }
  /// A receive is about to begin, and one has been completed that got a message from `source` with `got`.
  /// MPI_ANY_SOURCE or MPI_ANY_TAG there: the program has not looked.
  void begins(MessageChannels* of, int rank, int tag);
  void received(MessageChannels* of, int rank, int tag, int source, int got);

  /// The need of a call that waits for this; false if it cannot be told.
  bool need_of_receive(MessageChannels* of, int rank, int tag, MessageNeed* need);
  bool need_of_send(MessageChannels* of, int rank, int tag, std::uint64_t number, MessageNeed* need);
  bool need_of(const MessageRequest& request, MessageNeed* need);

  /// Requests, by their handles.
  HandleMap<MessageRequest> requests;
  void start(MessageRequest& request);
  /// `status`: null if the program has not looked.
  void complete(MPI_Request handle, const MPI_Status* status);

  void forget(const Family& family);

 private:
  struct Cached {
    MPI_Comm comm = MPI_COMM_NULL;
    MessageChannels* channels = nullptr;
  };
  Cached& cached(MPI_Comm comm) {
    std::uint64_t h = 0;
    static_assert(sizeof comm <= sizeof h);
    __builtin_memcpy(&h, &comm, sizeof comm);
    return cache_[h * 0x9e3779b97f4a7c15u >> 60];
  }
  MessageChannels* look_up(MPI_Comm comm);
  MessageChannel& meet(MessageChannels& of, int rank);
  MessageChannel* with(MessageChannels* of, int rank) {
    if (!of || rank < 0 || static_cast<std::size_t>(rank) >= of->with.size()) return nullptr;
    MessageChannel* const known = of->with[static_cast<std::size_t>(rank)];
    return known ? known : &meet(*of, rank);
  }

  MessageCounts counts_;
  const std::vector<int>& places_;
  bool sure_ = true;
  std::array<Cached, 16> cache_{};
  std::unordered_map<const Family*, std::unique_ptr<MessageChannels>> all_;
};

}  // namespace lapwing::sets
