// SPDX-License-Identifier: Apache-2.0
// Copies of those strips of a send whose memory the program has written to before they left.
//
// A send that returned at once keeps its source write-guarded. A program that fills the
// buffer anew would wait until the pages that it writes to have left; copying them is
// faster. Pages that are written to in order are copied in stretches that grow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "guard/guard.hpp"
#include "transfer/wire/plan.hpp"

namespace lapwing::transfer {

/// Calls under the engine's lock.
class MovedStrips {
 public:
  /// A run of strips of which nothing is read in the program's memory any more.
  struct Run {
    std::size_t first, end;
  };

  /// From where strip `index` is to be sent: a copy, or null if there is none.
  const char* copy_of(std::size_t index) const { return index < copies_.size() ? copies_[index] : nullptr; }
  std::size_t bytes() const { return bytes_; }

  /// A thread waits for [from, to) of `payload`. Copies the strips there that are not on their way yet,
  /// `next` being the first, and more behind them, where `permits` agrees to so many bytes. The first `left`
  /// have left. The run of strips around the first that is wanted; empty where that one is still on its way.
  template <typename Permits>
  Run move(const StripPlan& plan, const char* payload, std::uintptr_t from, std::uintptr_t to,
           std::size_t left, std::size_t next, Permits permits) {
    const Run wanted = strips_of(plan, payload, from, to);
    const std::size_t end = grown(plan, wanted, next);
    std::size_t needed = 0;
    for (std::size_t i = wanted.first > next ? wanted.first : next; i < end; ++i)
      if (!copy_of(i)) needed += plan.strip(i).length;
    if (needed > 0 && permits(needed)) copy(plan, payload, wanted.first > next ? wanted.first : next, end);
    return free_around(wanted.first, left, plan.count());
  }

 private:
  static Run strips_of(const StripPlan& plan, const char* payload, std::uintptr_t from, std::uintptr_t to);
  std::size_t grown(const StripPlan& plan, const Run& wanted, std::size_t next);
  void copy(const StripPlan& plan, const char* payload, std::size_t first, std::size_t end);
  Run free_around(std::size_t index, std::size_t left, std::size_t count) const;

  std::vector<const char*> copies_;  // by strip, into memory_
  std::vector<std::unique_ptr<char[]>> memory_;
  std::size_t bytes_ = 0;
  std::size_t stretch_ = 0;  // bytes beyond those wanted, the next time
};

}  // namespace lapwing::transfer
