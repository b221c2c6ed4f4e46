// SPDX-License-Identifier: Apache-2.0
#include "transfer/helper.hpp"

#include <algorithm>
#include <utility>

#include "guard/guard.hpp"
#include "mpi/library_locks.hpp"
#include "progress/policy.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {

void Helper::begin() { guard::mark_engine_thread(); }

// Even when nothing is closed any more: a touch that raced with the opening waits
// until its event has been answered.
void Helper::serve() {
  std::lock_guard lock(engine_.mutex());
  guard::serve();
}

bool Helper::nothing_to_do() const {
  engine_.mutex().assert_held();
  if (engine_.anything_in_flight() || engine_.listening() || Proved::in_flight()) return false;
  return !engine_.helper_looks_at_receives() || !engine_.requests().any_pending();
}

void Helper::restart_pauses() {
  pause_ = 0;
  strip_pauses_.restart();
}

// While MPI takes no locks there is nothing in flight: only touches are answered.
std::int64_t Helper::look_outside_mpi() {
  std::lock_guard lock(engine_.mutex());
  engine_.answer_touches();
  return nothing_to_do() ? until_woken : progress::for_receives.longest;
}

std::int64_t Helper::look(bool woken) {
  if (woken) restart_pauses();
  // A program thread that polls for its own sake moves everything on; this
  // thread would only steal from it.
  if (engine_.drivers() > 0) return progress::for_plain_transfers.longest;
  const mpi::LibraryLocks::Inside inside;
  if (!inside) return look_outside_mpi();
  // Transfers of the plain way move only while a thread looks.
  bool moved = Proved::in_flight() && Proved::work(progress::longest_look_beside_engine) > 1;
  std::lock_guard lock(engine_.mutex());
  moved |= engine_.progress();
  if (engine_.anything_in_flight()) {
    // One look of MPI's at a socket takes a few KiB from it, so a strip needs
    // several; what has arrived since the last time is taken all at once.
    for (int vain = 0; vain < progress::looks_per_wake; ++vain) {
      if (engine_.progress()) {
        moved = true;
        vain = 0;
      }
    }
  }
  const std::uint64_t strip_bytes =
      engine_.strip_bytes() - std::exchange(strips_seen_, engine_.strip_bytes());
  if (nothing_to_do()) {
    restart_pauses();
    return until_woken;
  }
  const bool strips = engine_.anything_in_flight(), flying = strips || Proved::in_flight();
  if (flying && engine_.somebody_waits()) {
    restart_pauses();
    return moved ? 0 : progress::for_touched_page;
  }
  pause_ = (flying ? progress::for_plain_transfers : progress::for_receives).after(moved, pause_);
  if (!strips) return pause_;
  const std::int64_t for_strips =
      strip_pauses_.after(strip_bytes, engine_.settings().window, engine_.sends_strips());
  return Proved::in_flight() ? std::min(pause_, for_strips) : for_strips;
}

}  // namespace lapwing::transfer
