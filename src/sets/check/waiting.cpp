// SPDX-License-Identifier: Apache-2.0
#include "sets/check/waiting.hpp"

#include <sched.h>

#include <mutex>

#include "progress/policy.hpp"
#include "sets/check/deadlock.hpp"
#include "sets/messages.hpp"
#include "sets/report/report.hpp"
#include "transfer/engine.hpp"

namespace lapwing::sets {

Standing& standing() {
  static Standing here;
  return here;
}

void block(Wait& wait) {
  // A look at the messages costs as much as one at a request, which ends later for it.
  const unsigned between = wait.circle() ? 1 : 4;
  // Most waits are short; no process need know of them.
  for (unsigned i = 0; i < progress::looks_before_yield; ++i) {
    if (wait.done()) return;
    if (i % between == 0) Messages::progress();
  }
  const bool provable = Deadlock::provable();
  const std::uint64_t begun = transfer::now_ns();
  {
    std::lock_guard guard(Messages::lock());
    if (provable) {
      standing().wait = &wait;
      ++standing().epoch;
    }
  }
  for (unsigned round = 0; !wait.done(); ++round) {
    if (round % between == 0 && Messages::progress()) round = 0;
    if (round % 64 == 63) {
      if (round % 256 == 255) {
        std::lock_guard guard(Messages::lock());
        const std::uint64_t now = transfer::now_ns();
        Reports::look(now);
        if (provable) Deadlock::look(begun, now);
      }
      sched_yield();
    }
  }
  if (!provable) return;
  std::lock_guard guard(Messages::lock());
  standing().wait = nullptr;
  ++standing().epoch;
  Deadlock::forget();
}

bool call_edge(Circle& circle, std::uint64_t call, int clause, Edges* edges) {
  const Opened* opened = circle.find(call);
  if (!opened || opened->done) return false;
  edges->list.push_back({circle.awaited(*opened), Edge::round, circle.id, call,
                         static_cast<std::uint64_t>(opened->round), clause, 0});
  return true;
}

bool CallWait::done() {
  std::lock_guard guard(Messages::lock());
  const Opened* opened = circle_.find(call_);
  // A call that does not agree never goes on: it is being reported.
  return !opened || (opened->settled() && !opened->combined.wrong);
}

void CallWait::edges(Edges* edges) {
  edges->clauses = 1;
  edges->goes_on = !call_edge(circle_, call_, 0, edges);
}

Told CallWait::told() const {
  const Opened* opened = circle_.find(call_);
  return opened ? opened->told : Told{};
}

}  // namespace lapwing::sets
