// SPDX-License-Identifier: Apache-2.0
// How long the helper leaves strips alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "progress/policy.hpp"

namespace lapwing::transfer {

/// Each wake-up of the helper takes the program's core for some 50 us, however little it finds. So pauses
/// grow while strips move as well as while they do not, until a look finds a fair share of the window: the
/// sender may have no more than the window on its way, and would stand still behind a longer pause. They grow
/// less where this rank sends strips itself, as what its socket holds must last. Once a thread of the program
/// has to wait for a page, pauses begin at the shortest again.
class StripPauses {
 public:
  /// The next pause, in nanoseconds, after a look since whose predecessor `bytes` of strips have landed or
  /// left. `window`: bytes of one message that may be on their way. `sends`: some are to be sent.
  std::int64_t after(std::uint64_t bytes, std::uint64_t window, bool sends) {
    const std::uint64_t most = std::min(window / 4, progress::most_strips_per_look);
    constexpr progress::Pauses pauses = progress::for_strips;
    if (bytes >= most)
      pause_ = std::max(pause_ / 2, pauses.shortest);
    else if (bytes < most / 2 || pause_ == 0)
      pause_ = pauses.after(false, pause_);
    if (sends) pause_ = std::min(pause_, progress::longest_beside_sends);
    return pause_;
  }

  /// The next pause is the shortest.
  void restart() { pause_ = 0; }

 private:
  std::int64_t pause_ = 0;
};

}  // namespace lapwing::transfer
