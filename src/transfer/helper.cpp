// SPDX-License-Identifier: Apache-2.0
#include "transfer/helper.hpp"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "guard/guard.hpp"
#include "mpi/library_locks.hpp"
#include "transfer/compiled/proved.hpp"
#include "transfer/engine.hpp"
#include "transfer/signals_blocked.hpp"

namespace lapwing::transfer {
namespace {

// A poll that found nothing is followed by a longer pause, so that the thread
// costs little while a strip is still on the wire, and by a short one again as
// soon as something has moved. On a gigabit link a 16 KiB strip takes 140 us:
// a wake-up finds two, which costs the program half of what one each would. The
// kernel's socket buffers hold what arrives during a pause, and whoever waits
// for a page ends it.
constexpr std::int64_t shortest_pause = 300'000;
constexpr std::int64_t longest_in_flight = 800'000;
constexpr int rounds_per_wake = 3;
constexpr std::uint64_t longest_work = 200'000;      // at a time, on what the compiler has split
constexpr std::int64_t longest_pending = 1'000'000;  // receives posted, nothing matched

}  // namespace

void ask_for_short_slices() {
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
  } wish{};
  wish.size = sizeof wish;
  wish.runtime = 100'000;
  wish.nice = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
  syscall(SYS_sched_setattr, 0, &wish, 0);
}

Helper::Helper(Engine& engine) : engine_(engine), wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (wake_fd_ < 0) throw std::runtime_error("no event descriptor can be made for the helper thread");
}

void Helper::start() {
  const SignalsBlocked blocked;
  const int error = pthread_create(&thread_, nullptr, run, this);
  if (error) throw std::runtime_error("no helper thread can be made");
}

Helper::~Helper() {
  if (!thread_) {
    close(wake_fd_);
    return;
  }
  stop_.store(true);
  const std::uint64_t one = 1;
  if (write(wake_fd_, &one, sizeof one) < 0) return;
  pthread_join(thread_, nullptr);
  close(wake_fd_);
}

void Helper::wake() {
  if (!asleep_.load(std::memory_order_acquire)) return;
  const std::uint64_t one = 1;
  if (write(wake_fd_, &one, sizeof one) < 0) return;  // full: it is awake already
}

void* Helper::run(void* self) {
  guard::mark_engine_thread();
  prctl(PR_SET_TIMERSLACK, 1);
  ask_for_short_slices();
  pthread_setname_np(pthread_self(), "lapwing");
  static_cast<Helper*>(self)->loop();
  return nullptr;
}

void Helper::loop() {
  pollfd descriptors[2] = {{wake_fd_, POLLIN, 0}, {guard::event_fd(), POLLIN, 0}};
  const nfds_t count = descriptors[1].fd >= 0 ? 2 : 1;
  while (!stop_.load(std::memory_order_acquire)) {
    const std::int64_t pause = pause_ns();
    if (pause == 0) {
      sched_yield();
      continue;
    }
    asleep_.store(true, std::memory_order_release);
    idle_.store(pause < 0, std::memory_order_release);
    // Transfers that began between pause_ns() and here have written no wake-up:
    // the state is read once more, now that writers can see that we sleep.
    bool idle = pause < 0;
    if (idle) {
      std::lock_guard lock(engine_.mutex());
      // A touch of what is only observed is not in flight: its wake-up may have come too early.
      if (engine_.governor().observing()) engine_.governor().advance();
      idle = nothing_to_do();
    }
    if (!idle && pause < 0) {
      asleep_.store(false, std::memory_order_relaxed);
      idle_.store(false, std::memory_order_relaxed);
      continue;
    }
    timespec time{pause / 1'000'000'000, pause % 1'000'000'000};
    ppoll(descriptors, count, pause < 0 ? nullptr : &time, nullptr);
    asleep_.store(false, std::memory_order_relaxed);
    idle_.store(false, std::memory_order_relaxed);
    if (descriptors[0].revents & POLLIN) {
      std::uint64_t wakes;
      if (read(wake_fd_, &wakes, sizeof wakes) < 0) continue;
      backoff_ns_ = 0;
    }
    if (count == 2 && (descriptors[1].revents & POLLIN)) {
      // Even when nothing is closed any more: a touch that raced with the
      // opening waits until its event has been answered.
      std::lock_guard lock(engine_.mutex());
      guard::serve();
      backoff_ns_ = 0;
    }
  }
}

// Under the engine's lock.
bool Helper::nothing_to_do() const {
  if (engine_.anything_in_flight() || engine_.listening() || Proved::in_flight()) return false;
  return !engine_.helper_looks_at_receives() || !engine_.requests().any_pending();
}

// While MPI takes no locks there is nothing in flight: only touches are answered.
std::int64_t Helper::pause_outside_mpi() {
  std::lock_guard lock(engine_.mutex());
  engine_.governor().advance();
  return nothing_to_do() ? -1 : longest_pending;
}

std::int64_t Helper::pause_ns() {
  // A program thread that polls for its own sake moves everything on; this
  // thread would only steal from it.
  if (engine_.drivers() > 0) return longest_in_flight;
  const mpi::LibraryLocks::Inside inside;
  if (!inside) return pause_outside_mpi();
  // Transfers of the plain way move only while a thread looks.
  bool moved = Proved::in_flight() && Proved::work(longest_work) > 1;
  std::lock_guard lock(engine_.mutex());
  moved |= engine_.progress();
  if (engine_.anything_in_flight()) {
    // One look of MPI's at a socket takes a few KiB from it, so a strip needs
    // several; what has arrived since the last time is taken all at once.
    for (int quiet_rounds = 0; quiet_rounds < rounds_per_wake; ++quiet_rounds) {
      if (engine_.progress()) {
        moved = true;
        quiet_rounds = 0;
      }
    }
  }
  const bool flying = engine_.anything_in_flight() || Proved::in_flight();
  if (nothing_to_do()) {
    backoff_ns_ = 0;
    return -1;
  }
  if (flying && engine_.somebody_waits()) {
    // The program's core is free meanwhile; latency is all that counts.
    backoff_ns_ = 0;
    return moved ? 0 : 5'000;
  }
  backoff_ns_ = moved ? shortest_pause : std::max(shortest_pause, backoff_ns_ + backoff_ns_ / 2);
  backoff_ns_ = std::min(backoff_ns_, flying ? longest_in_flight : longest_pending);
  return backoff_ns_;
}

}  // namespace lapwing::transfer
