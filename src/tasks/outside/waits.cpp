// SPDX-License-Identifier: Apache-2.0
#include "tasks/outside/waits.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include "progress/clock.hpp"
#include "progress/waiting.hpp"

namespace lapwing::tasks::outside {

using progress::now_ns;

void Waits::wait(const Question& question, const OutsideHooks& hooks) {
  if (question.ask()) return;
  for (const std::uint64_t begin = now_ns(); now_ns() - begin < progress::looks_before_leaving;) {
    if (question.ask()) return;
  }
  if (!hooks.leave()) {
    for (unsigned vain = 0; !question.ask();) progress::relax(++vain);
    return;
  }
  {
    std::unique_lock lock(mutex_);
    mutex_.assert_held();
    Waiting me{question};
    waiting_.push_back(&me);
    if (one_looks_) {
      while (!me.come && !me.looks) me.wakes.wait(lock);
    } else {
      one_looks_ = true;
    }
    if (!me.come) look_for_all(me, lock, hooks);
  }
  hooks.come_back();
}

bool Waits::ask_all() {
  const auto come = [](Waiting* each) {
    if (!each->question.ask()) return false;
    each->come = true;
    each->wakes.notify_one();
    return true;
  };
  const auto left = std::remove_if(waiting_.begin(), waiting_.end(), come);
  const bool any = left != waiting_.end();
  waiting_.erase(left, waiting_.end());
  return any;
}

void Waits::look_for_all(Waiting& me, std::unique_lock<progress::OwnedMutex>& lock,
                         const OutsideHooks& hooks) {
  std::int64_t rest = progress::for_outside.shortest;
  std::uint64_t since = now_ns();
  for (;;) {
    const std::uint64_t begin = now_ns();
    const bool any = ask_all();
    if (me.come) break;
    const std::uint64_t now = now_ns();
    if (any) {
      since = now;
      rest = progress::for_outside.shortest;
    }
    lock.unlock();
    const bool idle = hooks.idle();
    if (now - since < (idle ? progress::looks_for_all_if_idle : progress::looks_for_all)) {
      sched_yield();
    } else {
      // Looking takes at most half of a core, however many wait.
      const std::int64_t least = static_cast<std::int64_t>(now - begin);
      const std::int64_t most = idle ? std::min(rest, progress::longest_if_idle) : rest;
      std::this_thread::sleep_for(std::chrono::nanoseconds(std::max(least, most)));
      rest = progress::for_outside.after(any, rest);
    }
    lock.lock();
    mutex_.assert_held();
  }
  one_looks_ = !waiting_.empty();
  if (!one_looks_) return;
  waiting_.front()->looks = true;
  waiting_.front()->wakes.notify_one();
}

}  // namespace lapwing::tasks::outside
