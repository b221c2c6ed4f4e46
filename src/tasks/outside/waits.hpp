// SPDX-License-Identifier: Apache-2.0
// Threads whose tasks wait for a message: one of them looks for all, so that the
// others take no core.
#pragma once

#include <condition_variable>
#include <vector>

#include "progress/locks.hpp"
#include "tasks/outside.hpp"

namespace lapwing::tasks::outside {

/// Asks whether what is waited for has come, on whichever thread; true from then on never again asked.
struct Question {
  bool (*come)(void* of);
  void* of;
  bool ask() const { return come(of); }
};

class Waits {
 public:
  /// Returns when the answer is yes. The worker of the calling thread goes to others meanwhile, if it takes
  /// longer.
  void wait(const Question& question, const OutsideHooks& hooks);

 private:
  struct Waiting {
    const Question& question;
    bool come = false;
    bool looks = false;  // its thread looks for all
    std::condition_variable_any wakes = {};
  };
  void look_for_all(Waiting& me, std::unique_lock<progress::OwnedMutex>& lock, const OutsideHooks& hooks)
      LAPWING_REQUIRES(mutex_);
  bool ask_all() LAPWING_REQUIRES(mutex_);

  progress::OwnedMutex mutex_;
  std::vector<Waiting*> waiting_ LAPWING_GUARDED_BY(mutex_);
  bool one_looks_ LAPWING_GUARDED_BY(mutex_) = false;
};

}  // namespace lapwing::tasks::outside
