// SPDX-License-Identifier: Apache-2.0
// Gets under passive targets whose bytes arrive after MPI_Win_flush has returned (HUNT 3, 5.4 and 5.5).
//
// MPI_Get closes the pages of the origin's buffer and starts pieces of its own (fetch.hpp). The flush waits
// for the ends of the buffer only, and the pages open as they land. The target's bytes must have been read
// before any other process can know that the flush has returned: else it might change them. So every call of
// MPI's that another process may notice first waits for all gets. Only further gets, their flushes, and
// questions that MPI answers by itself leave them under way.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>

#include "transfer/decisions/sites.hpp"
#include "transfer/windows/fetch.hpp"
#include "transfer/windows/get_trial.hpp"
#include "transfer/windows/window.hpp"

namespace lapwing::transfer {

class Engine;

/// A get as the program means it.
struct GetArguments {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int target;
  MPI_Aint displacement;
  MPI_Count target_count;
  MPI_Datatype target_type;
  MPI_Win win;
};

/// How far a call completes accesses: at the origin, at the target too, or with them the epoch.
enum class Completes : std::uint8_t { local, remote, epoch };

/// Of one engine. Those that say so take its lock; all others are called under it.
class DeferredGets {
 public:
  /// After MPI_Init, on every rank of a job whose ranks all agree: whether gets may be deferred at all.
  static void allow(bool possible) { allowed_ = possible; }
  static bool allowed() { return allowed_; }
  /// Whether bytes of a get may still arrive. Any thread.
  static bool any() { return under_way_.load(std::memory_order_relaxed) != 0; }

  // Calls of the program's. They take the lock.

  /// `plain` makes the program's own call. MPI's error.
  template <typename Plain>
  static int get(const GetArguments& a, Caller caller, Plain plain) {
    bool mine = false;
    const int rc = start(a, caller, &mine);
    return mine ? rc : went_plainly(a, caller, plain);
  }
  /// MPI_Win_flush and its kin. Returns true where MPI need not be asked: only edges are waited for.
  static bool flush(MPI_Win win, Targets targets);
  /// Returns once no byte of a get can arrive any more: before a call that another process may notice.
  static void retire();
  /// A window has been made on `comm`. Collective over it.
  static void made(MPI_Win win, MPI_Comm comm);
  static void freed(MPI_Win win);
  static void locked(MPI_Win win, Targets targets);
  /// A call of MPI's has completed the accesses to these targets, in so many nanoseconds.
  static void synchronised(MPI_Win win, Targets targets, Completes what, std::uint64_t took);
  /// An access that is no get of this class begins. `changes`: the target's memory.
  static void accessed(MPI_Win win, int target, bool changes);

  // The engine's.

  /// True if anything has moved.
  bool advance(Engine& engine);
  /// Whether some page of [from, to) may still be written.
  bool fills(const char* from, const char* to) const;
  bool landed() const;
  bool somebody_waits() const;
  /// Of its gets, those with closed pages.
  int closed_regions() const;

 private:
  /// One get of weight, until the program has flushed it and its bytes are here.
  struct Get {
    std::uint64_t window;
    int target;
    std::size_t bytes;
    Site* site;
    GetTrial* trial;
    std::unique_ptr<Fetch> fetch;  ///< null of one that went plainly
    bool flushed = false;
    std::uint64_t begun = 0;
    std::uint64_t in_call = 0;  ///< nanoseconds that MPI_Get has taken
    std::uint64_t exposed =
        0;  ///< that the program has stood still for it in all, in calls that complete it too
    std::uint64_t stalls_since = 0;  ///< when a call began that waits for this one and so many others
    std::size_t sharers = 1;

    bool is_under_way() const { return fetch && !fetch->landed(); }
  };

  static int start(const GetArguments& a, Caller caller, bool* mine);
  template <typename Plain>
  static int went_plainly(const GetArguments& a, Caller caller, Plain plain) {
    const std::uint64_t begun = clock();
    const int rc = plain();
    note_plain(a, caller, clock() - begun);
    return rc;
  }
  static std::uint64_t clock();
  static void note_plain(const GetArguments& a, Caller caller, std::uint64_t took);

  Window* find(MPI_Win win);
  bool can_defer(Engine& engine, const GetArguments& a, const Window& window, std::size_t bytes) const;
  int begin(Engine& engine, const GetArguments& a, Caller caller, bool* mine);
  void charge(std::uint64_t window, Targets targets, std::uint64_t waited);
  void report_ended(Engine& engine);

  static inline bool allowed_ = false;
  static inline std::atomic<int> under_way_{0};

  std::map<std::uint64_t, Window> windows_;
  std::map<const void*, GetTrial> trials_;  ///< by the place of the call
  std::list<Get> gets_;
};

}  // namespace lapwing::transfer
