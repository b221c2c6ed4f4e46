// SPDX-License-Identifier: Apache-2.0
#include "sets/declared_helper.hpp"

#include <time.h>

#include "sets/messages.hpp"
#include "transfer/signals_blocked.hpp"

namespace lapwing::sets::declared {
namespace {

constexpr long shortest_ns = 50'000, longest_ns = 1'000'000;

}  // namespace

Declared::Helper::Helper(const Declared& declared) : declared_(declared) {
  const transfer::SignalsBlocked blocked;
  thread_ = std::thread([this] { loop(); });
}

Declared::Helper::~Helper() {
  state_.store(2);
  state_.notify_one();
  thread_.join();
}

void Declared::Helper::wake() {
  int asleep = 0;
  if (state_.compare_exchange_strong(asleep, 1)) state_.notify_one();
}

void Declared::Helper::loop() {
  long pause = shortest_ns;
  for (;;) {
    const int state = state_.load();
    if (state == 2) return;
    if (declared_.pending() == 0) {
      int awake = 1;
      if (!state_.compare_exchange_strong(awake, 0) && awake == 2) return;
      // A declaration between the look and this point has set it to 1 again.
      if (declared_.pending() == 0) state_.wait(0);
      continue;
    }
    // Long waits are for partners that compute: then there is no hurry.
    pause = Messages::progress() ? shortest_ns : pause < longest_ns ? pause + pause / 8 : longest_ns;
    const timespec time{0, pause};
    nanosleep(&time, nullptr);
  }
}

}  // namespace lapwing::sets::declared
