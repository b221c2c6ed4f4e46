// SPDX-License-Identifier: Apache-2.0
// The locks that an MPI takes for our helper's sake.
//
// Where the thread level has been raised, Open MPI locks, and counts atomically, in
// every call: 8 bytes over shared memory take 0.20 us instead of 0.13. It asks one
// variable of its own whether to do so, and the helper calls MPI in few programs and
// for a short time. So that variable says yes only while the helper may call MPI.
//
// Three states: *managed* or not; managed locks are *taken* or *dropped*. A thread of
// Lapwing's own is inside MPI only between enter() and leave(), and enter() refuses
// while the locks are dropped. They are dropped only while no such thread is inside.
#pragma once

#include <atomic>

namespace lapwing::mpi {

class LibraryLocks {
 public:
  /// After PMPI_Init, where the level was raised for the helper alone, and the program
  /// therefore calls MPI from one thread at a time. Does nothing where the MPI has no
  /// such variable; then its locks are always taken.
  static void manage();
  /// For the rest of the process: threads call MPI that know nothing of enter().
  static void keep();

  /// A program thread, outside MPI: the helper may be needed from here on.
  static void take() {
    if (__builtin_expect(inside_.load(std::memory_order_relaxed) < 0, 0)) take_again();
  }
  /// A program thread, outside MPI, with nothing in flight.
  static void drop() {
    if (__builtin_expect(managed_.load(std::memory_order_relaxed), 0)) drop_now();
  }
  static bool dropped() { return inside_.load(std::memory_order_relaxed) < 0; }

  /// A thread that may call MPI beside the program's. It must not where this is false.
  class Inside {
   public:
    Inside();
    ~Inside();
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    explicit operator bool() const { return entered_; }

   private:
    bool entered_;
  };

 private:
  static void take_again();
  static void drop_now();

  static inline std::atomic<bool> managed_{false};
  static inline std::atomic<int> inside_{0};  ///< threads between enter() and leave(); -1: dropped
};

}  // namespace lapwing::mpi
