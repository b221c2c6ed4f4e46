// SPDX-License-Identifier: Apache-2.0
#include "tasks/wire/mailbox.hpp"

#include <cstring>

namespace lapwing::tasks::ranks {

static_assert(sizeof(Mailbox::Letter) == Mailbox::slot_bytes);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

bool Mailbox::put(int source, int kind, const void* data, std::size_t size) {
  std::uint64_t ticket = tickets_.load(std::memory_order_relaxed);
  for (;;) {
    const std::uint64_t turn = letter(ticket).turn.load(std::memory_order_acquire);
    const std::uint64_t free = 2 * (ticket / slots);
    if (turn < free) return false;
    if (turn > free) {  // another one was faster
      ticket = tickets_.load(std::memory_order_relaxed);
    } else if (tickets_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed)) {
      break;
    }
  }
  Letter& its = letter(ticket);
  its.source = source;
  its.kind = kind;
  its.size = size;
  if (size > 0) std::memcpy(its.bytes, data, size);
  its.turn.store(2 * (ticket / slots) + 1, std::memory_order_release);
  return true;
}

const Mailbox::Letter* Mailbox::next(std::uint64_t taken) const {
  const Letter& its = letters_[taken % slots];
  return its.turn.load(std::memory_order_acquire) == 2 * (taken / slots) + 1 ? &its : nullptr;
}

void Mailbox::done(std::uint64_t taken) {
  letter(taken).turn.store(2 * (taken / slots) + 2, std::memory_order_release);
}

}  // namespace lapwing::tasks::ranks
