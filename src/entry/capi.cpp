// SPDX-License-Identifier: Apache-2.0
// The C API.
#include "lapwing/lapwing.h"

#include "entry/p2p/p2p.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/retire.hpp"

namespace transfer = lapwing::transfer;

LAPWING_ENTRY int lapwing_set_defer(int mode) {
  transfer::Engine* engine = transfer::Engine::get();
  if (!engine || mode < LAPWING_DEFER_OFF || mode > LAPWING_DEFER_ON) return -1;
  std::lock_guard lock(engine->mutex());
  const int old = static_cast<int>(engine->settings().defer);
  engine->set_defer(static_cast<transfer::Defer>(mode));
  return old;
}

LAPWING_ENTRY void lapwing_get_stats(struct lapwing_stats* out) {
  *out = {};
  transfer::Engine* engine = transfer::Engine::get();
  if (!engine) {
    // Calls that the compiler has split: their waits stand for the guards.
    using transfer::Proved;
    out->deferred_receives = Proved::receives.load(std::memory_order_relaxed);
    out->deferred_sends = Proved::sends.load(std::memory_order_relaxed);
    out->bytes_deferred = Proved::bytes.load(std::memory_order_relaxed);
    out->exposed_s = static_cast<double>(Proved::exposed_ns.load(std::memory_order_relaxed)) * 1e-9;
    return;
  }
  std::lock_guard lock(engine->mutex());
  const auto& s = engine->stats;
  *out = {s.deferred_receives,
          s.deferred_sends,
          s.strips,
          s.faults,
          s.bytes_deferred,
          static_cast<double>(s.exposed_ns) * 1e-9};
}

LAPWING_ENTRY void lapwing_retire_all(void) { transfer::retire_everything(); }

LAPWING_ENTRY const char* lapwing_version(void) { return LAPWING_VERSION; }
