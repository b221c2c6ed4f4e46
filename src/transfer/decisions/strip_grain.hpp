// SPDX-License-Identifier: Apache-2.0
// Whether the messages of a call site travel in small strips or in large ones.
#pragma once

#include <algorithm>

namespace lapwing::transfer {

/// Small strips let a receiver read close behind the transfer, at a price for each strip. Large ones cost
/// less and suit a receiver that computes something else until all has landed.
///
/// Receivers report with each message whether they touched it before it had landed. A receiver that reads
/// small strips just behind their landing touches nothing early either, so large strips are a trial: the
/// first early touch under them ends it, and the next trial waits for four times as many messages. A
/// receiver that reads along thus meets large strips in ever fewer of its messages.
class StripGrain {
 public:
  bool coarse() const { return untouched_ >= needed_; }

  /// The receiver touched a message before all of it had landed.
  void touched_early() {
    if (coarse()) needed_ = std::min(4 * needed_, most_needed);
    untouched_ = 0;
  }

  /// The receiver touched a message only after all of it had landed.
  void touched_late() { untouched_ = std::min(untouched_ + 1, most_needed); }

 private:
  static constexpr unsigned first_needed = 2, most_needed = 1U << 13;

  unsigned untouched_ = 0;          ///< messages in a row that were touched late
  unsigned needed_ = first_needed;  ///< so many of them begin a trial of large strips
};

}  // namespace lapwing::transfer
