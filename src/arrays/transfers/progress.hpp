// SPDX-License-Identifier: Apache-2.0
// Moves all transfers of this process on: within calls, and by a thread while
// something is pending (the message-driven execution of HPF/MPI 4.2).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "arrays/transfers/request.hpp"
#include "progress/locks.hpp"

namespace lapwing::arrays {

class Progress {
 public:
  /// Everything of this room is done under it. Never held while waiting.
  static progress::OwnedMutex& lock() { return lock_; }

  // Under the lock:
  static void open(const std::shared_ptr<TaskComm>& comm);
  static void close(const std::shared_ptr<TaskComm>& comm);
  /// Takes part in moving `request` until it is idle.
  static void watch(const std::shared_ptr<Request>& request);
  /// One round; whether anything has happened.
  static bool advance();
  /// Requests of this communicator that are started and not complete.
  static bool pending(const TaskComm& comm);

  /// Not under the lock: lets everything go on until `condition`, which is asked under it.
  template <typename Condition>
  static void wait(Condition condition) {
    const Waiter waiter;
    for (unsigned idle = 0;;) {
      {
        const progress::Holding guard(lock_);
        if (condition()) return;
        idle = advance() ? 0 : idle + 1;
        if (condition()) return;
      }
      progress::relax(idle);
    }
  }

  /// Not under the lock: waits in MPI for a request, if this process has nothing
  /// else to move meanwhile; else does nothing.
  static void wait_in_mpi(const std::shared_ptr<Request>& request);

  /// Not under the lock: something goes on that no call waits for; or for which one will wait at once.
  static void leave_to_helper(bool waited_for_at_once = false);

 private:
  struct Waiter {
    Waiter() { ++waiting_; }
    ~Waiter() { --waiting_; }
  };
  class Helper;
  static void start_helper();
  static int at_finalize(MPI_Comm, int, void*, void*);

  static inline progress::OwnedMutex lock_;
  static inline std::atomic<int> waiting_{0};
  static inline std::vector<std::shared_ptr<TaskComm>> comms_ LAPWING_GUARDED_BY(lock_);
  static inline std::vector<std::shared_ptr<Request>> active_ LAPWING_GUARDED_BY(lock_);
  static inline Helper* helper_ = nullptr;
  static inline bool decided_ = false;
};

}  // namespace lapwing::arrays
