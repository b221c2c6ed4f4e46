// SPDX-License-Identifier: Apache-2.0
// Transfers whose uses the compiler has proved: what is in flight between a
// start and its wait (lapwing/compiled.h), and its progress.
//
// Nothing is guarded and nothing copied here. A helper
// thread, the engine's helper or the program in its loops calls look(), which
// lets MPI move on what is in flight. Neither ever waits for the other: a wait
// of the program's takes its token out of the list first.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "progress/locks.hpp"
#include "transfer/decisions/pairing.hpp"
#include "transfer/settings.hpp"

/// One split call. Made by Proved::begin(), given back by Proved::release().
struct lapwing_token {
  enum class State { free, flying, complete, waiting, dropped };
  State state = State::free;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status* status = MPI_STATUS_IGNORE;  ///< written at the wait
  const char* call = "";                   ///< "MPI_Recv"
  const void* place = nullptr;             ///< where that call stands
  bool receives = false;
  bool group = false;   ///< a collective: its request can be neither cancelled nor freed
  bool touchy = false;  ///< an error would call what only the program's wait may call
  bool helped = true;   ///< somebody moves it; false of what goes the plain way
  /// Of one that is not: the program has waited already, where the call stood.
  bool was_waited_for = false;
  std::uint64_t computing_since = 0, waited_before = 0, waited = 0;  ///< nanoseconds
  /// A message that has been matched and is not received yet: see may_keep_matched().
  enum class Matched { no, kept, taken } matched = Matched::no;
  MPI_Message message = MPI_MESSAGE_NULL;
  void* buffer = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int peer = 0, tag = 0;
  std::size_t bytes = 0;
  char* copy = nullptr;                                ///< what is sent in place of the buffer
  lapwing_token *next = nullptr, *previous = nullptr;  // of those that fly, or of those that are free
};

namespace lapwing::transfer {

class ProvedHelper;

class Proved {
 public:
  /// The name of tokens' waits: the accounts charge waits to what they wait for.
  static constexpr const char* name_of_wait = "MPI_Wait";
  /// How starts go: as the blocking calls that they replace, straight to MPI, or
  /// through the engine, which understands stripped messages.
  enum class Way : std::uint8_t { blocking, direct, engine };
  static Way way() { return way_.load(std::memory_order_relaxed); }
  /// Starts of fewer bytes go as the blocking call.
  static std::size_t threshold() { return threshold_; }
  /// See Settings.
  static bool looks_briefly() { return looks_briefly_; }

  /// After PMPI_Init, from the thread that called it. `level`: what MPI granted.
  static void start(const Settings& settings, Way way, int level);
  /// Instead, in a program in which the compiler has split nothing: only defer() and
  /// retire() are used. Needs MPI_THREAD_MULTIPLE.
  static void start_for_requests(const Settings& settings);
  /// Before the engine stops. Transfers without a wait are given a moment to end,
  /// then left to MPI; their tokens stay valid and mean nothing any more.
  static void stop();
  /// With LAPWING_VERBOSE: says what was in flight.
  static void tell();
  /// At an exit without MPI_Finalize: nobody is inside MPI any more when this
  /// returns, if that can be had soon.
  static void abandon();

  static lapwing_token* begin(const lapwing_token& what);
  /// Of what went the plain way: in flight with nobody to move it, or over, after the
  /// program has waited. Its wait tells what there was to hide.
  static lapwing_token* begin_plainly(const lapwing_token& what);
  static lapwing_token* went_plainly(std::uint64_t waited);
  /// Where the call stood that has started earlier: the program waits here, unless
  /// somebody moves what it has started.
  static void reach(lapwing_token* token);
  /// At the end of its wait, which has begun then.
  static void note_wait_of(const lapwing_token& token, std::uint64_t begun);
  /// From here on nobody but the caller touches the request; false if it has
  /// been dropped.
  static bool take(lapwing_token* token);
  static void release(lapwing_token* token);

  /// True where the receive of a matched message may wait for the start that
  /// follows it. A rendezvous that is answered before the program's own send has
  /// been announced lets the partner fill the connection with its payload, and the
  /// answer to that send stands behind it: the two halves of an exchange would
  /// travel one after the other. So not where a send to that partner is in flight.
  /// Needs the helper, which receives it soon, for the program may do anything next.
  static bool may_keep_matched(MPI_Comm comm, int partner);
  /// Receives what is kept so; one load where there is nothing. To be called before
  /// a thread waits in MPI, as Waiting does; the helper does it otherwise.
  static void receive_matched() {
    if (kept_.load(std::memory_order_relaxed) > 0) receive_all_matched();
  }

  /// Requests of the program's own, which only count: their handles may be freed
  /// at any time, so nobody but the program touches them.
  static void defer(int count, const MPI_Request* requests, bool receives);
  static void retire(int count, const MPI_Request* requests);

  static bool in_flight() { return unfinished_.load() + deferred_.load() > 0; }
  /// One round; true if something moved. Does nothing where somebody looks already.
  static bool look();
  /// Looks as long as it pays, about `longest` nanoseconds at most; how many looks
  /// moved something. A single one may have been an interruption.
  static int work(std::uint64_t longest, int quiet_looks = 3);
  /// Until when the helper had better not look; 0 almost always: see pairing.hpp.
  static std::uint64_t hold_until() { return hold_until_.load(std::memory_order_relaxed); }
  /// Counts what is put in flight.
  static unsigned begun() { return begun_.load(std::memory_order_relaxed); }

  /// While one lives, a program thread moves everything by waiting in MPI.
  class Waiting {
   public:
    Waiting() {
      receive_matched();
      waiting_.fetch_add(1, std::memory_order_relaxed);
    }
    ~Waiting() { waiting_.fetch_sub(1, std::memory_order_relaxed); }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
  };
  static bool somebody_waits() { return waiting_.load(std::memory_order_relaxed) > 0; }

  static inline std::atomic<std::uint64_t> receives{0}, sends{0}, bytes{0}, exposed_ns{0};

 private:
  static constexpr std::size_t slots = 128;

  static void receive_all_matched();
  static void receive_one_matched(lapwing_token* token);
  static void note_start(bool receives, bool alone);
  static void note_wait();
  static lapwing_token* make(const lapwing_token& what);
  static std::vector<lapwing_token*> outstanding();
  static void have_helper();
  static void wake_up();
  static void note_idle();
  static void unlink(lapwing_token* token);
  static void forget_stale(std::uint64_t now);
  static bool look_at_front(bool* turned);

  static inline std::atomic<Way> way_{Way::blocking};
  static inline std::size_t threshold_ = 0;
  static inline bool verbose_ = false, looks_briefly_ = false;
  /// Made when something is first put in flight.
  static inline std::atomic<ProvedHelper*> helper_{nullptr};
  static inline std::atomic<bool> wants_helper_{false};

  static inline progress::SpinLock lock_;  // guards the two lists and the pairing
  static inline Pairing pairing_;
  static inline std::atomic<std::uint64_t> hold_until_{0};
  static inline lapwing_token* first_ = nullptr;
  static inline lapwing_token* last_ = nullptr;
  static inline lapwing_token* free_ = nullptr;
  static inline std::atomic<lapwing_token*> examined_{nullptr};
  static inline std::atomic<int> unfinished_{0}, deferred_{0}, waiting_{0}, kept_{0};
  static inline std::atomic<bool> looking_{false};
  /// Direct-mapped: of two requests in one slot the later one counts. That costs
  /// the earlier one its help at worst, and nothing ever grows or is left over.
  static inline std::atomic<std::uint64_t> slot_[slots] = {};
  static inline std::atomic<unsigned> changes_{0}, begun_{0};
};

}  // namespace lapwing::transfer
