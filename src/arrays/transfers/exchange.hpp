// SPDX-License-Identifier: Apache-2.0
// Moves the pieces of a schedule: steps 5 and 6 of HPF/MPI 2.1, never waiting.
//
// A stream is what one process sends another. Small ones are one message. Larger
// ones between processes of a node go by the wire that these share (near_streams.hpp),
// others travel in strips that stay in a cache between packing and sending; a sender
// works on two streams at a time, in the order of the schedule's rounds, each with
// two strips on their way, a receiver takes from all senders. Memory
// holds these strips only, never a copy of the array.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "arrays/schedules/kept_move.hpp"
#include "arrays/schedules/part.hpp"
#include "arrays/transfers/kept_requests.hpp"
#include "arrays/transfers/near_streams.hpp"
#include "arrays/transfers/own_copies.hpp"
#include "arrays/transfers/steps.hpp"

namespace lapwing::arrays {

class Exchange {
 public:
  /// A stream up to `one_message` bytes is not cut. A strip is packed, sent and
  /// unpacked before it leaves the cache. Equal on all processes; tests change them.
  static inline std::int64_t one_message = 192 << 10, strip_size = 128 << 10;
  /// Off: between processes of a node as between others. Tests switch it.
  static inline bool sharing = true;
  /// Bytes of buffers that are posted ahead; the rest waits for what is done.
  static inline std::int64_t posted_ahead = 8 << 20;

  enum class Way { strips, whole, datatype };

  /// Of messages, and of streams by a node's wire: those end with their exchange, so that no two may have the
  /// same tag at a time.
  struct Tags {
    Tags(int both) : messages(both), near(both) {}
    Tags(int of_messages, int of_near) : messages(of_messages), near(of_near) {}
    int messages, near;
  };

  /// `near`: who shares a wire with this process, by ranks of `comm`.
  Exchange(MPI_Comm comm, const Near& near, Tags tags, Way way, bool persistent, StepTimes& steps);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // Before the first start; parts in the same order on both sides.
  void send(int peer, std::vector<Part> parts);
  void receive(int peer, std::vector<Part> parts);
  void copy(const Part& from, const Part& to) { own_.add(from, to); }

  void start();
  /// Goes on with what has arrived; whether anything had.
  bool step();
  bool done() const { return open_ == 0 && (!near_streams_ || near_streams_->done()) && own_.done(); }
  /// All that is open is with MPI, and nothing new has to be begun.
  bool prepared() const { return prepared_; }
  /// Waits in MPI until it is done; where prepared().
  void wait();
  /// Nothing but single messages that MPI moves by itself.
  bool simple() const { return simple_; }
  /// Nothing is to be gained by moving it soon: within a node without a core to spare the helper would take
  /// for the copies the core on which the program computes, at more cost than in the wait.
  bool unhurried() const { return near_streams_ && streams_.empty() && !near_.spare_core; }

  /// Adds the parts of the streams that have landed.
  void landed(std::vector<Landed>* out) const;

 private:
  struct Stream {
    int peer;
    bool outgoing;
    std::vector<Part> parts;
    std::vector<std::int64_t> first_strip;  // of each part, where there is more than one strip
    std::int64_t strips = 1, bytes = 0;
    std::int64_t begun = 0, ended = 0;  // strips
    std::vector<bool> out_of_order;     // landed beyond `ended`
    int slots = 0;
  };
  struct Strip {
    std::size_t part;
    std::int64_t from, count;
  };
  struct Slot {
    std::size_t stream;
    std::int64_t strip;
    std::unique_ptr<char[]> buffer;
    std::int64_t room = 0;
    bool inplace = false;
    std::vector<KeptMove> moves;  // of the parts, where it is prepared
  };

  void add(bool outgoing, int peer, std::vector<Part> parts);
  Strip strip(const Stream& stream, std::int64_t number) const;
  std::int64_t strip_bytes(const Stream& stream, std::int64_t number) const;
  char* inplace(const Stream& stream, std::int64_t number) const;
  void pack_strip(const Stream& stream, std::int64_t number, char* wire);
  void unpack_strip(const Stream& stream, std::int64_t number, const char* wire);
  /// To or from the slot's buffer, as the stream goes.
  void move_kept(const Stream& stream, const Slot& slot);
  void begin(std::size_t slot);
  void open_slots(std::size_t stream, int wanted);
  void admit();
  void admit_arrived();
  void finish(std::size_t slot);
  void prepare_persistent();
  bool step_near();
  bool use_datatype(const Stream& stream) const;
  /// Messages up to that are persistent ones of MPI's where the exchange is; larger buffers are not kept.
  static std::int64_t kept_bytes() { return std::max(one_message, strip_size); }

  MPI_Comm comm_;
  Tags tags_;
  Way way_;
  bool persistent_, prepared_ = false, simple_ = true;
  StepTimes& steps_;
  std::vector<Stream> streams_;
  const Near& near_;
  std::unique_ptr<NearStreams> near_streams_;
  OwnCopies own_;
  std::deque<std::size_t> waiting_in_, waiting_out_;
  int active_out_ = 0;
  std::int64_t total_ = 0;   // bytes of all streams
  std::int64_t posted_ = 0;  // bytes of buffers for what is received
  std::size_t open_ = 0;     // streams that are not complete

  // Parallel to each other; a free slot's request is null or inactive.
  std::vector<MPI_Request> requests_;
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
  std::vector<int> indices_;
  std::vector<MPI_Datatype> types_;
  KeptRequests kept_;  // of a persistent exchange that is not prepared
};

}  // namespace lapwing::arrays
