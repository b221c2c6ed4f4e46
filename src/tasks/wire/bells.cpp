// SPDX-License-Identifier: Apache-2.0
#include "tasks/wire/bells.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lapwing::tasks::ranks {

void Bells::ring(int rank) {
  Bell* const bell = bells_[static_cast<std::size_t>(rank)];
  if (bell == nullptr) return;
  // The message is there before the bell is looked at, as it is the other way round there.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (bell->listens.load(std::memory_order_relaxed) == 0 || bell->listens.exchange(0) == 0) return;
  syscall(SYS_futex, reinterpret_cast<int*>(&bell->listens), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void Bells::listen(bool on) {
  own_->listens.store(on ? 1 : 0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void Bells::sleep(std::chrono::nanoseconds most) {
  const timespec time{static_cast<time_t>(most.count() / 1'000'000'000), most.count() % 1'000'000'000};
  syscall(SYS_futex, reinterpret_cast<int*>(&own_->listens), FUTEX_WAIT, 1, &time, nullptr, 0);
}

}  // namespace lapwing::tasks::ranks
