// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/proved_helper.hpp"

#include <algorithm>

#include "guard/guard.hpp"
#include "transfer/compiled/polls.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {

void ProvedHelper::begin() { guard::mark_engine_thread(); }

std::int64_t ProvedHelper::look_at_messages() {
  const bool waits = Proved::somebody_waits(), moved = Proved::work(progress::longest_look) > 1;
  if (waits) return progress::for_split_calls.longest;
  if (moved && vain_ > 0) soon_ = std::max(soon_, progress::looks_soon / 2);
  vain_ = moved ? 0 : vain_ + 1;
  pause_ = vain_ > progress::pauses_until_late ? progress::late_partner
                                               : progress::for_split_calls.after(moved, pause_);
  if (soon_ == 0) return pause_;
  --soon_;
  return progress::soon_pause;
}

std::int64_t ProvedHelper::look(bool) {
  if (!Proved::in_flight()) {
    beside_polls_ = 0;
    return idle_++ < progress::idle_pauses ? progress::idle_pause : until_woken;
  }
  idle_ = 0;
  // A send wakes the helper, and a wait of the program's moves everything itself.
  if (const std::uint64_t until = Proved::hold_until(), now = now_ns(); until > now)
    return static_cast<std::int64_t>(until - now);
  if (Polls::now()) {
    beside_polls_ =
        std::clamp(2 * beside_polls_, progress::for_split_calls.longest, progress::longest_beside_polls);
    return beside_polls_;
  }
  beside_polls_ = 0;
  if (const unsigned begun = Proved::begun(); begun != seen_) {
    seen_ = begun;
    pause_ = progress::for_split_calls.shortest;
    vain_ = 0;
    soon_ = progress::looks_soon;
    return Polls::lately() ? progress::before_polls : progress::first_pause;
  }
  return look_at_messages();
}

}  // namespace lapwing::transfer
