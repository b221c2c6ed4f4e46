// SPDX-License-Identifier: Apache-2.0
// Overlap of communication and computation where nothing on the wire changes:
// transfers that the compiler has split, and requests that a program itself starts
// and computes beside, which stand still in most MPIs until the program waits.
//
// All begin the plain way. A call that was split is made whole where it starts. A
// wait that was moved ends where it stood: requests are completed there without being
// consumed, so that the program's wait finds nothing left to do. All this wakes no
// thread and wants no poll. How long the program waited, and what it computed before
// it needed the data, is noted; by that LoopJudge decides whether the transfers of the
// loop at hand are overlapped. Each rank decides for itself.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "progress/clock.hpp"
#include "progress/locks.hpp"
#include "transfer/decisions/loop_judge.hpp"
#include "transfer/settings.hpp"

namespace lapwing::transfer {

/// A request of the program's own between its start and its wait.
struct WatchedRequest {
  std::uint64_t key = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint64_t since = 0, waited_before = 0;  ///< of what has been computed
  std::uint64_t waited = 0;                    ///< for it, where its wait stood
  int peer = 0;
  bool receives = false, reached = false, overlapped = false;
  bool carried = false;     ///< went the plain way, and polls move it since: see Overlap::carry
  bool persistent = false;  ///< some MPIs end such a request at a look (mpi::looks_end_persistent)
};

/// Any thread.
class Overlap {
 public:
  enum class Kind : std::uint8_t { receive, send, collective };

  /// Transfers that the compiler has split are judged from here on.
  static void judge_split_calls() { judged_.store(true); }
  /// So are all requests of weight. After PMPI_Init; `level`: what MPI granted. Does
  /// nothing where there can be no helper.
  static void judge_requests(const Settings& settings, int level);
  static void stop();
  /// Whether split calls are judged: they go in flight always where this is false.
  static bool judged() { return judged_.load(std::memory_order_relaxed); }
  /// Whether some request is watched now.
  static bool watches_any() { return watched_.load(std::memory_order_relaxed) > 0; }
  static bool watches() { return watches_.load(std::memory_order_relaxed); }
  /// Whether the transfers of the loop at hand are overlapped.
  static bool overlaps() { return overlaps_.load(std::memory_order_relaxed); }
  /// Whether a loop that the compiler has divided runs its early rounds first. `flight` is left alone where
  /// it is not known how long its messages take (LoopJudge::divides).
  static bool divides(std::uint64_t* flight);
  /// Before early rounds that a glance runs: what has gone the plain way is moved by polls from here to its
  /// wait, as it would be if it were overlapped. It is judged as before.
  static void carry();
  /// See LoopJudge::looked.
  static void looked();
  /// The decision about the loop at hand.
  static const char* verdict();

  /// Whether a split transfer of weight that begins now is put in flight with somebody
  /// to move it. `site`: the call's.
  static bool begins(const void* site, std::size_t bytes, int peer);
  /// Whether requests like that are watched: small ones are not, nor those of which nothing travels.
  static bool may_watch(std::size_t bytes, int peer, Kind kind) {
    return watches() && bytes >= least_bytes && (peer != MPI_PROC_NULL || kind == Kind::collective);
  }
  /// The call at `site` has started `request`, or made it where it is persistent.
  static void begun(MPI_Request request, const void* site, std::size_t bytes, int peer, Kind kind,
                    bool persistent = false);

  /// How long the program has waited so far, for what computing is told from waiting by.
  static std::uint64_t waited() { return waited_.load(std::memory_order_relaxed); }
  static void add_waiting(std::uint64_t nanoseconds) {
    waited_.fetch_add(nanoseconds, std::memory_order_relaxed);
  }
  /// Makes a blocking send of the program's own. While requests are watched its time is waiting: MPI moves
  /// their messages then, and the program computes nothing.
  template <typename Send>
  static int block_in(Send send) {
    if (watched_.load(std::memory_order_relaxed) == 0) return send();
    const std::uint64_t begun = progress::now_ns();
    const int rc = send();
    add_waiting(progress::now_ns() - begun);
    return rc;
  }
  /// Told by a split transfer at its wait: see LoopJudge.
  static void went(std::uint64_t waited, std::uint64_t computed);
  static void went_overlapped(std::uint64_t computed);

  /// A call of the program's own that sends; costs a load where no receive is watched.
  static void note_own_send(MPI_Count count, MPI_Datatype type, int peer) {
    if (__builtin_expect(watched_.load(std::memory_order_relaxed) > 0, 0)) note_send_of(count, type, peer);
  }
  /// A send of weight goes the plain way. Before a program's own send is out, what its
  /// partner sends had better not be answered (pairing.hpp): what the program has computed
  /// until then hides nothing of what it receives.
  static void note_send(int peer);

  /// Notes what the program has just started; the compiler puts a word about it right behind.
  static void note_posted(MPI_Count count, MPI_Datatype type, int peer) {
    if (!judged()) return;
    posted_count_.store(count, std::memory_order_relaxed);
    posted_type_.store(type, std::memory_order_relaxed);
    posted_peer_.store(peer, std::memory_order_relaxed);
  }
  /// That word: whether `requests` are put in flight. They are watched otherwise.
  static bool posted(int count, const MPI_Request* requests, bool receives, const void* site);
  /// Where the program's wait stood: completes those of `requests` that went the plain
  /// way, or, where nothing is ever put in flight, all of them.
  static void reach(int count, const MPI_Request* requests, bool all);
  /// Before a call that tests or frees requests. A program that tests moves them itself,
  /// and who frees one waits for it no more: they are watched and moved no longer.
  static void leave_alone(int count, const MPI_Request* requests) {
    if (__builtin_expect(watched_.load(std::memory_order_relaxed) > 0, 0)) forget(count, requests);
  }
  /// Completes a request without consuming it.
  static void complete(MPI_Request request);

  /// Around a call that waits for requests.
  class Wait {
   public:
    Wait(int count, const MPI_Request* requests) {
      if (__builtin_expect(watched_.load(std::memory_order_relaxed) > 0, 0)) begin(count, requests);
    }
    ~Wait() {
      if (__builtin_expect(begun_ != 0, 0)) end();
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    void begin(int count, const MPI_Request* requests);
    void end() const;
    std::uint64_t begun_ = 0, computed_ = 0;
    bool plain_ = false;  // it waits for something that went the plain way
  };

 private:
  static constexpr std::size_t slots = 256;
  /// Of a program's own requests: smaller ones leave at once, or cost less than a wake-up.
  static constexpr std::size_t least_bytes = 32 << 10;

  static bool decide(const void* site, std::size_t bytes, int peer);
  static void watch(int count, const MPI_Request* requests, bool receives, int peer, bool overlapped,
                    bool persistent = false);
  static void note_send_of(MPI_Count count, MPI_Datatype type, int peer);
  static void forget(int count, const MPI_Request* requests);
  static WatchedRequest& slot_of(std::uint64_t key);
  static WatchedRequest* find(MPI_Request request);

  static inline std::atomic<bool> judged_{false}, watches_{false}, overlaps_{false};
  static inline std::atomic<std::uint64_t> waited_{0};
  static inline std::atomic<MPI_Count> posted_count_{-1};
  static inline std::atomic<MPI_Datatype> posted_type_{};
  static inline std::atomic<int> posted_peer_{0};
  static inline std::atomic<std::uint64_t> last_begun_{0};
  static inline std::atomic<int> watched_{0};
  static inline progress::SpinLock lock_;  // guards the rest
  static inline LoopJudge judge_;
  /// Direct-mapped: of two requests in one slot the later one is watched.
  static inline WatchedRequest slot_[slots];
};

}  // namespace lapwing::transfer
