// SPDX-License-Identifier: Apache-2.0
#include "sets/helper.hpp"

#include <time.h>

#include <utility>

#include "transfer/signals_blocked.hpp"

namespace lapwing::sets {
namespace {

constexpr long shortest_ns = 50'000, longest_ns = 1'000'000;

}  // namespace

Helper::Helper(std::function<bool()> pending, std::function<bool()> work)
    : pending_(std::move(pending)), work_(std::move(work)) {
  const transfer::SignalsBlocked blocked;
  thread_ = std::thread([this] { loop(); });
}

Helper::~Helper() {
  state_.store(2);
  state_.notify_one();
  thread_.join();
}

void Helper::wake() {
  int asleep = 0;
  if (state_.compare_exchange_strong(asleep, 1)) state_.notify_one();
}

void Helper::loop() {
  long pause = shortest_ns;
  for (;;) {
    const int state = state_.load();
    if (state == 2) return;
    if (!pending_()) {
      int awake = 1;
      if (!state_.compare_exchange_strong(awake, 0) && awake == 2) return;
      // Work that has begun between the look and this point has set it to 1 again.
      if (!pending_()) state_.wait(0);
      continue;
    }
    // Long waits are for partners that compute: then there is no hurry.
    pause = work_() ? shortest_ns : pause < longest_ns ? pause + pause / 8 : longest_ns;
    const timespec time{0, pause};
    nanosleep(&time, nullptr);
  }
}

}  // namespace lapwing::sets
