// SPDX-License-Identifier: Apache-2.0
// The way of array data between processes of one node, without MPI. A sender packs
// a strip into a slot of its own area on a board, or only writes down where its
// bytes lie, and the receiver reads them out of the sender's memory; a letter says
// that the slot is filled. Nothing is sent before the receiver has said that it
// takes it, so what fills slots is always being taken.
//
// All of it under the lock of Progress.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "transfer/wire/board.hpp"

namespace lapwing::arrays {

class NodeWire {
 public:
  static constexpr std::int64_t slot_bytes = 64 << 10;
  /// Of each process: memory that is touched only where so many are in use.
  static constexpr int slots = 256;

  /// Bytes of the sender's memory.
  struct Place {
    std::uint64_t address, bytes;
  };
  static constexpr std::size_t most_places = 1024;  ///< of a strip: what the kernel takes at once

  enum class State : std::uint32_t { free, packed, places, unreadable };

  /// A part of a stream: elements [from, from + count) of one of its pieces.
  struct Strip {
    std::int32_t slot, part;
    std::int64_t from, count;
  };
  /// Streams of one tag between this process and one other, one at a time.
  struct Channel {
    std::uint32_t comm;
    std::int32_t tag, place;
    auto operator<=>(const Channel&) const = default;
  };
  struct Mailbox {
    int ready = 0;       ///< receivers that wait for a stream from here
    bool reads = false;  ///< and read this process' memory
    std::deque<Strip> strips;
  };

  /// Collective over `near`, whose ranks are the places. The same one for the same
  /// processes; null, for all of them, where they share no memory. `comm` tells
  /// communicators apart that share it.
  static std::shared_ptr<NodeWire> of(MPI_Comm near, std::uint32_t* comm);

  Mailbox& mailbox(const Channel& channel) { return mailboxes_[channel]; }
  void close(const Channel& channel);

  /// Takes what letters say; whether there were any.
  bool progress();

  // The sender.
  int claim();  ///< a slot; -1 if there is none
  void post(const Channel& channel, const Strip& strip, State filled, std::uint32_t places);
  State state(int slot) const { return header(me_, slot).state.load(std::memory_order_acquire); }
  void packed_instead(int slot) { header(me_, slot).state.store(State::packed, std::memory_order_release); }
  void release(int slot) { unused_.push_back(slot); }
  char* data(int slot) { return data(me_, slot); }

  // The receiver.
  void announce(const Channel& channel, bool reads);
  State state(const Channel& channel, const Strip& strip) const {
    return header(channel.place, strip.slot).state.load(std::memory_order_acquire);
  }
  const char* data(const Channel& channel, const Strip& strip) const {
    return data(channel.place, strip.slot);
  }
  std::span<const Place> places(const Channel& channel, const Strip& strip) const;
  /// Fills `to` from the sender's memory; where that fails, asks for the bytes.
  bool read(const Channel& channel, const Strip& strip, std::span<const Place> to);
  void give_back(const Channel& channel, const Strip& strip) {
    header(channel.place, strip.slot).state.store(State::free, std::memory_order_release);
  }

  /// Its number in the system.
  int process(int place) const { return processes_[static_cast<std::size_t>(place)]; }
  /// Whether the process at that place is no more. Asks the kernel.
  bool has_ended(int place) const { return board_->has_ended(place); }

  /// Whether other processes' memory is read, where the kernel permits it. Tests change it.
  enum class Reading { never, where_it_pays, always };
  static inline Reading reading = Reading::where_it_pays;

 private:
  struct alignas(64) Header {
    std::atomic<State> state;
    std::uint32_t places;
  };
  struct Letter {
    std::uint32_t comm;
    std::int32_t tag;
    Strip strip;
  };
  enum Kind : int { ready_kind, ready_and_reads_kind, strip_kind };
  struct Unsent {
    int place, kind;
    Letter letter;
  };
  static constexpr std::size_t area_bytes = slots * (sizeof(Header) + static_cast<std::size_t>(slot_bytes));

  NodeWire(std::unique_ptr<transfer::Board> board, MPI_Comm near);
  Header& header(int place, int slot) const { return reinterpret_cast<Header*>(board_->area(place))[slot]; }
  char* data(int place, int slot) const {
    return board_->area(place) + slots * sizeof(Header) + static_cast<std::int64_t>(slot) * slot_bytes;
  }
  void tell(int place, int kind, const Letter& letter);
  void send_again();
  void find_readable(MPI_Comm near);
  static int at_finalize(MPI_Comm, int, void*, void*);

  std::unique_ptr<transfer::Board> board_;
  int me_ = 0;
  std::uint32_t comms_ = 0;
  std::vector<int> processes_;
  std::vector<bool> readable_;  ///< by place: this process reads that one's memory
  bool pays_ = false;           ///< to read rather than to take from shared memory
  std::map<Channel, Mailbox> mailboxes_;
  std::vector<int> unused_;  ///< slots; the last one was used last, and is in a cache
  std::deque<Unsent> unsent_;
};

/// Which processes of a communicator share a wire with this one.
struct Near {
  std::shared_ptr<NodeWire> wire;
  std::uint32_t comm = 0;
  std::vector<int> places;  ///< by rank; -1: elsewhere
  bool spare_core = true;   ///< the node has more cores than processes of the communicator

  int place(int rank) const { return wire ? places[static_cast<std::size_t>(rank)] : -1; }
};

}  // namespace lapwing::arrays
