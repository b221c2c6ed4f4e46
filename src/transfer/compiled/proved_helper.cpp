// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/proved_helper.hpp"

#include <linux/futex.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "guard/guard.hpp"
#include "transfer/compiled/polls.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"
#include "transfer/helper.hpp"
#include "transfer/signals_blocked.hpp"

namespace lapwing::transfer {
namespace {

// As in helper.cpp: each wake-up is taken from the program, and what arrives in
// a pause waits in the kernel. The first look lets the program start what it
// starts together. A rendezvous is a few short messages, each of which waits for
// a look: there are some soon after something has begun, and after something has
// moved again.
constexpr std::int64_t first_pause = 30'000;
constexpr std::int64_t pause_before_polls = 300'000;  // loops that have polled will do so again
constexpr std::int64_t longest_pause_beside_polls = 3'200'000;
constexpr std::int64_t soon_pause = 40'000;
constexpr int soon_looks = 4;
constexpr std::uint64_t soon_enough = 60'000;
constexpr std::int64_t shortest_wait = 100'000;
constexpr std::int64_t longest_pause = 800'000;
constexpr std::int64_t rare_pause = 10'000'000;  // the partner is late, or somebody forgot to retire
constexpr int pauses_before_rare = 1000;
constexpr std::int64_t idle_pause = 1'000'000;
constexpr int idle_pauses = 2;  // before the deep sleep, from which only a system call wakes
constexpr std::uint64_t longest_slice = 500'000;
constexpr std::uint64_t patience_at_exit = 100'000'000;

// How long to pause after a look.
class Pace {
 public:
  void begin() {
    pause_ = shortest_wait;
    quiet_ = 0;
    soon_ = soon_looks;
  }
  std::int64_t after_look(bool moved) {
    if (moved) {
      if (quiet_ > 0) soon_ = std::max(soon_, soon_looks / 2);
      quiet_ = 0;
      pause_ = shortest_wait;
    } else {
      pause_ = ++quiet_ > pauses_before_rare ? rare_pause : std::min(pause_ + pause_ / 2, longest_pause);
    }
    if (soon_ == 0) return pause_;
    --soon_;
    return soon_pause;
  }

 private:
  std::int64_t pause_ = shortest_wait;
  int quiet_ = 0, soon_ = 0;
};

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value, const timespec* time) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation | FUTEX_PRIVATE_FLAG, value,
                 time, nullptr, 0);
}

}  // namespace

bool ProvedHelper::start() {
  process_ = getpid();
  const SignalsBlocked blocked;
  const int error = pthread_create(&thread_, nullptr, run, this);
  return error == 0;
}

void ProvedHelper::end() {
  state_.store(ended);
  futex(&state_, FUTEX_WAKE, INT_MAX, nullptr);
  ring();
}

void ProvedHelper::stop() {
  end();
  if (process_ == getpid()) pthread_join(thread_, nullptr);
}

void ProvedHelper::abandon() {
  // An exit may come from inside MPI, which the thread then waits for.
  if (process_ != getpid()) return;
  end();
  if (pthread_equal(pthread_self(), thread_)) return;
  const std::uint64_t until = now_ns() + patience_at_exit;
  while (inside_.load() && now_ns() < until) usleep(100);
}

void* ProvedHelper::run(void* self) {
  guard::mark_engine_thread();
  prctl(PR_SET_TIMERSLACK, 1);
  ask_for_short_slices();
  pthread_setname_np(pthread_self(), "lapwing");
  static_cast<ProvedHelper*>(self)->loop();
  return nullptr;
}

void ProvedHelper::nap(std::int64_t nanoseconds) {
  const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  const std::uint32_t rung = bell_.load();
  if (state_.load() == ended) return;
  nap_until_.store(now_ns() + static_cast<std::uint64_t>(nanoseconds), std::memory_order_relaxed);
  futex(&bell_, FUTEX_WAIT, rung, &time);
  nap_until_.store(0, std::memory_order_relaxed);
}

void ProvedHelper::shorten() {
  if (nap_until_.load(std::memory_order_relaxed) > now_ns() + soon_enough) ring();
}

void ProvedHelper::ring() {
  nap_until_.store(0, std::memory_order_relaxed);
  bell_.fetch_add(1);
  futex(&bell_, FUTEX_WAKE, 1, nullptr);
}

// Until something is in flight.
void ProvedHelper::sleep() {
  std::uint32_t was = awake;
  if (!state_.compare_exchange_strong(was, asleep)) return;
  // A transfer that began before others could see that we sleep woke no thread.
  if (Proved::in_flight()) {
    was = asleep;
    state_.compare_exchange_strong(was, awake);
    return;
  }
  while (state_.load() == asleep) futex(&state_, FUTEX_WAIT, asleep, nullptr);
}

void ProvedHelper::wake_up() {
  std::uint32_t was = asleep;
  if (state_.compare_exchange_strong(was, awake)) futex(&state_, FUTEX_WAKE, 1, nullptr);
}

bool ProvedHelper::slice() {
  inside_.store(true);
  const bool moved = state_.load() != ended && Proved::work(longest_slice) > 1;
  inside_.store(false);
  return moved;
}

void ProvedHelper::loop() {
  Pace pace;
  unsigned seen = 0;
  int idle = 0;
  std::int64_t beside_polls = longest_pause;
  while (state_.load() != ended) {
    if (!Proved::in_flight()) {
      beside_polls = longest_pause;
      if (idle++ < idle_pauses) {
        nap(idle_pause);
      } else {
        sleep();
      }
      continue;
    }
    idle = 0;
    // A send rings the bell, and a wait of the program's moves everything itself.
    if (const std::uint64_t until = Proved::hold_until(), now = now_ns(); until > now) {
      nap(static_cast<std::int64_t>(until - now));
      continue;
    }
    if (Polls::now()) {
      nap(beside_polls);
      beside_polls = std::min(2 * beside_polls, longest_pause_beside_polls);
      continue;
    }
    beside_polls = longest_pause;
    if (const unsigned begun = Proved::begun(); begun != seen) {
      seen = begun;
      pace.begin();
      nap(Polls::lately() ? pause_before_polls : first_pause);
      continue;
    }
    if (Proved::somebody_waits()) {
      slice();
      nap(longest_pause);
      continue;
    }
    nap(pace.after_look(slice()));
  }
}

}  // namespace lapwing::transfer
