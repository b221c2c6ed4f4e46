// SPDX-License-Identifier: Apache-2.0
#include "transfer/compiled/polls.hpp"

#include <mpi.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"

__attribute__((visibility("default"))) int lapwing_wants_polls = 0;

namespace lapwing::transfer {
namespace {

// In ticks of the processor's clock: between two looks, soon after something has begun and later.
constexpr std::uint64_t ticks_soon = 100'000, ticks_between = 150'000, most_ticks_between = 1'000'000;
constexpr int soon_polls = 4;
// Between two calls of a loop. In a program that streams through its data each finds what it needs neither in
// the first cache nor in the TLB, so they are fewer while nothing is in flight.
constexpr std::uint64_t ticks_of_rounds = 25'000, ticks_of_idle_rounds = 100'000;
constexpr std::uint64_t ticks_lately = 25'000'000;
constexpr unsigned most_rounds = 1U << 20, never = 1U << 31;
constexpr std::uint64_t longest_look = 500'000;  // nanoseconds

std::uint64_t next = 0;
std::atomic<std::uint64_t> last{0}, between{ticks_between};
std::atomic<int> soon{0};

// The thread that called MPI_Init: below MPI_THREAD_SERIALIZED the only one that
// may call MPI.
thread_local bool main_thread = false;

void begin_at(std::uint64_t ticks) { __atomic_store_n(&next, ticks, __ATOMIC_RELAXED); }

void set_wants(int wanted) { __atomic_store_n(&lapwing_wants_polls, wanted, __ATOMIC_RELAXED); }

}  // namespace

void Polls::start(int level) {
  main_thread = true;
  // Where the program itself sees to it that its threads take turns in MPI, it
  // does not know of ours.
  by_all_ = level == MPI_THREAD_MULTIPLE;
  taken_ = level != MPI_THREAD_SERIALIZED;
  // A child shares its parent's connections: what it took from them the parent would miss.
  pthread_atfork(nullptr, nullptr, stop);
}

void Polls::stop() {
  taken_ = false;
  set_wants(0);
}

void Polls::want() {
  if (!taken_) return;
  soon.store(soon_polls, std::memory_order_relaxed);
  between.store(ticks_between, std::memory_order_relaxed);
  begin_at(__builtin_ia32_rdtsc() + ticks_soon);
  set_wants(1);
}

void Polls::want_none() {
  if (taken_) set_wants(0);
}

// The rounds are counted also where nothing is in flight: a loop that has not been
// timed yet calls once a round.
LAPWING_GENERAL_REGISTERS unsigned Polls::count(lapwing_loop& loop) {
  if (!taken_) return never;
  const std::uint64_t now = __builtin_ia32_rdtsc();
  const bool wanted = __atomic_load_n(&lapwing_wants_polls, __ATOMIC_RELAXED) != 0;
  if (loop.last != 0) {
    const std::uint64_t took = now - loop.last, aim = wanted ? ticks_of_rounds : ticks_of_idle_rounds;
    if (took < aim / 2 && loop.rounds < most_rounds) loop.rounds *= 2;
    if (took > aim * 2 && loop.rounds > 1) loop.rounds /= 2;
  }
  loop.last = now;
  return wanted && now >= __atomic_load_n(&next, __ATOMIC_RELAXED) ? 0 : loop.rounds;
}

unsigned Polls::look(lapwing_loop& loop) {
  if (by_all_ || main_thread) loop.last = look_now(loop.last);
  return loop.rounds;
}

std::uint64_t Polls::look_now(std::uint64_t now) {
  last.store(now, std::memory_order_relaxed);
  const std::uint64_t hold = Proved::hold_until();
  const bool moved = (hold == 0 || hold <= now_ns()) && Proved::work(longest_look, 1) > 0;
  const bool again_soon = soon.load(std::memory_order_relaxed) > 0 && soon.fetch_sub(1) > 0;
  std::uint64_t pause = ticks_between;
  if (!moved) {
    pause = between.load(std::memory_order_relaxed);
    pause = std::min(pause + pause / 2, most_ticks_between);
  }
  between.store(pause, std::memory_order_relaxed);
  now = __builtin_ia32_rdtsc();
  begin_at(now + (again_soon ? ticks_soon : pause));
  return now;
}

bool Polls::now() {
  return __builtin_ia32_rdtsc() - last.load(std::memory_order_relaxed) <
         between.load(std::memory_order_relaxed) + ticks_between;
}

bool Polls::lately() { return __builtin_ia32_rdtsc() - last.load(std::memory_order_relaxed) < ticks_lately; }

}  // namespace lapwing::transfer
