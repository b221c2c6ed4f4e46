// SPDX-License-Identifier: Apache-2.0
// Transfers of compiled code that go as the program wrote them, and what is seen of
// them; which way each goes is SplitJudge's to say.
//
// A call that was split is made whole where it starts. A wait that was moved ends
// where it stood: requests are completed there without being consumed, so that the
// wait finds nothing left to do. All this wakes no thread and wants no poll. How long
// the program waited and what it computed before it needed the data is all that is
// noted.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "transfer/decisions/split_judge.hpp"
#include "transfer/spin.hpp"

namespace lapwing::transfer {

/// A request of the program's own that went the plain way.
struct WatchedRequest {
  std::uint64_t key = 0;
  std::uint64_t since = 0, waited_before = 0;  ///< of what has been computed
  std::uint64_t waited = 0;                    ///< for it, where its wait stood
  int peer = 0;
  bool receives = false, reached = false;
};

class PlainWay {
 public:
  static void start() { judged_.store(true); }
  static void stop() { judged_.store(false); }
  /// Whether ways are judged at all: transfers go in flight always where this is false.
  static bool judged() { return judged_.load(std::memory_order_relaxed); }

  /// Whether a transfer of weight that begins now is put in flight with somebody to
  /// move it. `site`: the call's.
  static bool splits(const void* site, std::size_t bytes, int peer);

  /// How long the program has waited so far, for what computing is told from waiting by.
  static std::uint64_t waited() { return waited_.load(std::memory_order_relaxed); }
  static void add_waiting(std::uint64_t nanoseconds) {
    waited_.fetch_add(nanoseconds, std::memory_order_relaxed);
  }
  /// The decision about the loop at hand.
  static const char* verdict();
  static void went(std::uint64_t waited, std::uint64_t computed);

  /// A call of the program's own that sends; costs a load where no receive is watched.
  static void note_own_send(MPI_Count count, MPI_Datatype type, int peer) {
    if (__builtin_expect(watched_.load(std::memory_order_relaxed) > 0, 0)) note_send_of(count, type, peer);
  }
  /// Notes a receive that the program has just posted; the compiler puts a word about it right behind.
  static void note_posted(MPI_Count count, MPI_Datatype type, int peer) {
    if (!judged()) return;
    posted_count_.store(count, std::memory_order_relaxed);
    posted_type_.store(type, std::memory_order_relaxed);
    posted_peer_.store(peer, std::memory_order_relaxed);
  }
  /// Forgets it. The most there can be, where it is not known.
  static std::size_t take_posted(int* peer);

  /// Requests of the program's own that went the plain way, behind their starts.
  /// A send of weight goes the plain way. Before a program's own send is out, what its
  /// partner sends had better not be answered (pairing.hpp): what the program has computed
  /// until then hides nothing of what it receives.
  static void note_send(int peer);
  static void watch(int count, const MPI_Request* requests, bool receives, int peer);
  /// Where the program's wait stood: completes those of `requests` that are watched, or,
  /// where nothing is ever split, all of them.
  static void reach(int count, const MPI_Request* requests, bool all);
  /// Before the program's wait for them.
  static void retire(int count, const MPI_Request* requests);

  /// Completes a request without consuming it.
  static void complete(MPI_Request request);

  /// Around a wait of the program's, which may be one that retire() has announced.
  class Wait {
   public:
    Wait() : computed_(expected_.load(std::memory_order_relaxed)) {
      if (__builtin_expect(computed_ != 0, 0)) begin();
    }
    ~Wait() {
      if (__builtin_expect(computed_ != 0, 0)) end();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    void begin();
    void end() const;
    std::uint64_t computed_, begun_ = 0;
  };

 private:
  static constexpr std::size_t slots = 128;

  static void note_send_of(MPI_Count count, MPI_Datatype type, int peer);
  static WatchedRequest* find(MPI_Request request);

  static inline std::atomic<bool> judged_{false};
  static inline std::atomic<std::uint64_t> waited_{0};
  static inline std::atomic<std::uint64_t> expected_{0};
  static inline std::atomic<MPI_Count> posted_count_{-1};
  static inline std::atomic<MPI_Datatype> posted_type_{};
  static inline std::atomic<int> posted_peer_{0};
  static inline Spin lock_;  // guards the rest
  static inline SplitJudge judge_;
  /// Direct-mapped: of two requests in one slot the later one is watched.
  static inline WatchedRequest slot_[slots];
  static inline std::atomic<int> watched_{0};
};

}  // namespace lapwing::transfer
