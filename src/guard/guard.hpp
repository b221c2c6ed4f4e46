// SPDX-License-Identifier: Apache-2.0
// Regions of the program's memory that stop a thread that touches them too early.
//
// An incoming region keeps every page that has not landed inaccessible, to all
// threads and to the kernel; an outgoing region keeps pages that have not left
// read-only. The room knows nothing of messages: the engine closes a region,
// opens pages as strips land or leave, and is told of a touch by a callback.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace lapwing::guard {

enum class Backend { none, userfaultfd, mprotect };

/// The means that this process may use, and why not more; `lapwing doctor` prints it.
struct Capability {
  Backend backend = Backend::none;  ///< the one that start() chose
  bool kernel_faults = false;       ///< a system call on a closed page waits by itself
  bool move = false;                ///< UFFDIO_MOVE may be used
  bool syscall_dispatch = false;    ///< Syscall User Dispatch may be used
  std::string reason;               ///< a sentence: why this back end and no better
};

/// Called when a thread of the program has touched a closed page, possibly
/// from a signal handler: async-signal-safe, must not block.
using Demand = void (*)(void* context);

/// Finds what the machine permits. `wanted` forces a back end (LAPWING_GUARD).
Capability probe(Backend wanted = Backend::none);

/// Prepares the chosen back end once per process; false if nothing can guard.
bool start(Backend wanted, Demand demand, void* context);
/// All regions must be open. Restores signal handlers.
void stop();
const Capability& capability();

/// The page range of one buffer, or part of it. Made, opened and destroyed by
/// the engine only (one thread at a time); faults are counted from anywhere.
class Region {
 public:
  virtual ~Region() = default;  ///< requires that every page is open

  char* begin() const { return begin_; }
  char* end() const { return end_; }
  bool outgoing() const { return outgoing_; }

  /// Incoming: where the byte that belongs at `address` is to be written while
  /// its page is closed. MPI may write there; contiguous over the region.
  virtual char* landing(char* address) = 0;

  /// Opens the whole pages [from, to). Incoming: the bytes at landing(from..to)
  /// become the program's, in place before access is granted. Wakes waiters.
  virtual void open(char* from, char* to) = 0;

  std::atomic<std::uint32_t> faults{0};     ///< touches that had to wait
  std::atomic<std::uint32_t> waiting{0};    ///< threads stopped right now
  std::atomic<std::uint64_t> waited_ns{0};  ///< sum of the stops that ended
  std::atomic<std::uintptr_t> first_fault{0};
  std::atomic<std::uintptr_t> last_fault{0};
  /// Thread-safe: some thread wants these pages now (a fault, or await()).
  std::atomic<std::uintptr_t> wanted_from{0}, wanted_to{0};
  std::atomic<std::uint64_t> wanted_since{0};  ///< by the clock
  /// Some thread waits for all of it to open: its mapping is about to change.
  std::atomic<bool> release_wanted{false};
  /// Set by the engine where it wants to know which instruction touches first.
  std::atomic<bool> asks_place{false};
  std::atomic<std::uintptr_t> first_place{0};  ///< its address; 0 while, or where, it is not known

 protected:
  char* begin_ = nullptr;
  char* end_ = nullptr;
  bool outgoing_ = false;
};

/// Closes whole pages [begin, end) (page aligned, mapped, private, writable).
/// nullptr where memory of this kind cannot be guarded safely (shared or file
/// mappings, hugetlbfs, no free slot): the caller then completes at once.
std::unique_ptr<Region> close_incoming(char* begin, char* end);
std::unique_ptr<Region> close_outgoing(char* begin, char* end);
/// As close_incoming(), of pages whose bytes are all there already: the caller must not write to landing().
/// nullptr also where they could be closed only by giving their bytes up.
std::unique_ptr<Region> close_landed(char* begin, char* end);

/// Descriptor to poll for touches, or -1 (then Demand alone tells).
int event_fd();
/// Reads pending touch events; called by the progress thread only.
void serve();

/// Number of regions with closed pages, and of holds; one relaxed load, for fast paths.
extern std::atomic<int> closed_regions;
/// From hold() to release() calls take the slow path as if one more region were closed: the engine owes
/// something that no closed page shows.
void hold();
void release();
extern std::atomic<int> holds;
/// True if [address, address+length) meets a page that is still closed.
bool meets_closed(const void* address, std::size_t length);
/// Blocks the calling thread until no page of [address, address+length) is
/// closed, telling the engine that they are wanted. Not from a progress thread.
void await(const void* address, std::size_t length);
void await_all();
/// As await(), and until the mapping itself is as the program made it: what is
/// about to be unmapped, moved or freed must not be watched any more.
void await_release(const void* address, std::size_t length);
/// Marks the calling thread as the engine's own: it never waits for a guard.
void mark_engine_thread();

/// While one lives, the calling thread runs MPI or the engine on the program's
/// behalf: its system calls go straight to the kernel (the mprotect back end
/// would look at each, two microseconds apiece), and threads that it creates
/// are taken for MPI's. A load and a branch where there is nothing to do.
class EngineSection {
 public:
  EngineSection();
  ~EngineSection();
  EngineSection(const EngineSection&) = delete;
  EngineSection& operator=(const EngineSection&) = delete;
};

}  // namespace lapwing::guard
