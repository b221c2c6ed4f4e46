// SPDX-License-Identifier: Apache-2.0
// Gets and puts under passive targets that go on after MPI_Win_flush has returned (HUNT 3, 5.4 and 5.5).
//
// MPI_Get closes the pages of the origin's buffer, MPI_Put closes them to writes, and both start pieces of
// their own (pieces.hpp). The flush waits for the ends of the buffer only, and the pages open as they land or
// leave. No other process can tell: before every call of MPI's that another process may notice, all gets have
// landed, since their target might change what they read, and all puts that the program has flushed are
// *promised*: MPI_Win_flush completes them at their targets first. Only further gets, flushes, puts that
// follow no promise, and questions that MPI answers by itself leave accesses under way.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "transfer/decisions/sites.hpp"
#include "transfer/windows/access_trial.hpp"
#include "transfer/windows/exposed_memory.hpp"
#include "transfer/windows/pieces.hpp"
#include "transfer/windows/window.hpp"

namespace lapwing::transfer {

class Engine;

/// An access as the program means it. `request`: of MPI_Rget and MPI_Rput, else null.
struct AccessArguments {
  Access access;
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int target;
  MPI_Aint displacement;
  MPI_Count target_count;
  MPI_Datatype target_type;
  MPI_Win win;
  MPI_Request* request;
};

/// How far a call completes accesses: at the origin, at the target too, or with them the epoch.
enum class Completes : std::uint8_t { local, remote, epoch };

/// Of one engine. Those that say so take its lock; all others are called under it.
class DeferredAccesses {
 public:
  /// After MPI_Init, on every rank of a job whose ranks all agree: whether accesses may be deferred at all.
  static void allow(bool possible) { allowed_ = possible; }
  static bool allowed() { return allowed_; }
  /// Whether an access is under way, or promised, or has a request of the program's. Any thread.
  static bool any() { return pending_.load(std::memory_order_relaxed) != 0; }

  /// Whether the helper has to move one on. Any thread.
  static bool moving() { return moving_.load(std::memory_order_relaxed); }

  // Calls of the program's. They take the lock.

  /// `plain` makes the program's own call. MPI's error.
  template <typename Plain>
  static int make(const AccessArguments& a, Caller caller, Plain plain) {
    bool mine = false;
    const int rc = start(a, caller, &mine);
    return mine ? rc : went_plainly(a, caller, plain);
  }
  /// MPI_Win_flush and its kin. Returns true where MPI need not be asked: only edges are waited for.
  static bool flush(MPI_Win win, Targets targets, Completes what);
  /// MPI_Wait and MPI_Waitall of requests of accesses alone, which it completes as flush() does; false, and
  /// nothing has happened, if one is of another kind. `statuses`: as in MPI, for one request too.
  static bool wait(int count, MPI_Request* requests, MPI_Status* statuses, int* rc);
  /// Returns once no byte of a get can arrive any more, all puts have left, and those that are promised are
  /// complete at their targets: before a call that another process may notice.
  static void retire();
  /// A window has been made on `comm`. Collective over it.
  static void made(MPI_Win win, MPI_Comm comm);
  static void freed(MPI_Win win);
  /// This process' memory has become, or is no longer to be, part of a dynamic window.
  static void attached(MPI_Win win, const void* base, MPI_Aint bytes);
  static void detached(MPI_Win win, const void* base);
  static void locked(MPI_Win win, Targets targets);
  /// A call of MPI's has completed the accesses to these targets, in so many nanoseconds.
  static void synchronised(MPI_Win win, Targets targets, Completes what, std::uint64_t took);
  /// An access begins that this class does not see. `changes`: the target's memory.
  static void accessed(MPI_Win win, int target, bool changes);

  // The engine's.

  /// True if anything has moved.
  bool advance(Engine& engine);
  /// Whether some page of [from, to) may still be written.
  bool fills(const char* from, const char* to) const;
  bool ended() const;
  bool somebody_waits() const;
  /// Its part of guard::closed_regions.
  int closed_regions() const;

 private:
  /// One access of weight, until the program has flushed it and it has ended.
  struct Entry {
    Access access;
    std::uint64_t window;
    int target;
    std::size_t bytes;
    Site* site;
    AccessTrial* trial;
    std::unique_ptr<Pieces> pieces;  ///< null of one that went plainly
    std::uint64_t request = 0;       ///< the program's; 0 if none, or no longer
    bool flushed = false;
    bool complete = false;  ///< a put that is known to be complete at its target
    bool promised = false;  ///< a put that must be complete at its target before a process can notice
    std::uint64_t begun = 0;
    std::uint64_t in_call = 0;  ///< nanoseconds that the call itself has taken
    std::uint64_t exposed =
        0;  ///< that the program has stood still for it in all, in calls that complete it too
    std::uint64_t stalls_since = 0;  ///< when a call began that waits for this one and so many others
    std::size_t sharers = 1;

    bool is_under_way() const { return pieces && !pieces->ended(); }
    bool is_pending() const { return is_under_way() || promised || request != 0; }
  };

  static int start(const AccessArguments& a, Caller caller, bool* mine);
  template <typename Plain>
  static int went_plainly(const AccessArguments& a, Caller caller, Plain plain) {
    const std::uint64_t begun = clock();
    const int rc = plain();
    note_plain(a, caller, clock() - begun);
    return rc;
  }
  static std::uint64_t clock();
  static void note_plain(const AccessArguments& a, Caller caller, std::uint64_t took);
  static void make_way(const AccessArguments& a);
  // A handle is an int in MPICH, a pointer in Open MPI: only the C cast makes both.
  static std::uint64_t key_of(MPI_Win win) { return (std::uint64_t)(std::uintptr_t)(win); }

  Window* find(MPI_Win win);
  Entry* entry_of(std::uint64_t request);
  bool can_defer(Engine& engine, const AccessArguments& a, const Window& window, std::size_t bytes) const;
  int begin(Engine& engine, const AccessArguments& a, Caller caller, bool* mine);
  bool must_precede(const AccessArguments& a);
  void charge(std::uint64_t window, Targets targets, std::uint64_t waited);
  void report_ended(Engine& engine);
  void count_pending();
  void keep_promises(Engine& engine);

  static inline bool allowed_ = false;
  static inline std::atomic<int> pending_{0};
  static inline std::atomic<bool> moving_{false};

  std::map<std::uint64_t, Window> windows_;
  ExposedMemory exposed_;
  std::map<const void*, AccessTrial> trials_;  ///< by the place of the call
  std::list<Entry> entries_;
};

}  // namespace lapwing::transfer
