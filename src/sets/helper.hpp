// SPDX-License-Identifier: Apache-2.0
// Lets what is under way in this room proceed while the program computes, or
// waits inside MPI.
#pragma once

#include <functional>
#include <utility>

#include "progress/helper.hpp"
#include "progress/policy.hpp"

namespace lapwing::sets {

/// Works while something is pending. Needs MPI_THREAD_MULTIPLE. Neither function may wait for the lock of
/// Messages.
class Helper final : public progress::Polled {
 public:
  /// `work` tells whether anything moved.
  Helper(std::function<bool()> pending, std::function<bool()> work)
      : pending_(std::move(pending)), work_(std::move(work)) {
    start();
  }
  ~Helper() { stop(); }

 private:
  std::int64_t look(bool) override {
    if (!pending_()) return until_woken;
    return pause_ = progress::for_sets.after(work_(), pause_);
  }

  const std::function<bool()> pending_, work_;
  std::int64_t pause_ = 0;
};

}  // namespace lapwing::sets
