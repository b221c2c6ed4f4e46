// SPDX-License-Identifier: Apache-2.0
// Messages between processes of a node through memory that they share: slots in
// turn, which one process empties. A message costs a copy and a cache line, no call
// of MPI's or of the kernel's.
//
// The writer is one process and thread at a time, with a Writer of its own, or
// any number of them, which costs an exchange each; never both on one ring.
// Messages of one writer arrive in order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lapwing::progress {

/// Lies in shared memory, zeroed. `Letters`: messages under way.
template <std::size_t Letters, std::size_t Bytes>
class Ring {
 public:
  static constexpr std::size_t letters = Letters, longest = Bytes;
  static_assert(longest <= UINT16_MAX && std::atomic<std::uint64_t>::is_always_lock_free);

  struct alignas(64) Letter {
    std::atomic<std::uint64_t> turn;  ///< its number, from 1 on; written last
    std::int16_t kind;
    std::uint16_t size;
    std::int32_t source;  ///< as one of many writers says
    char bytes[Bytes];
  };

  struct Writer {
    Ring* ring = nullptr;
    std::uint64_t sent = 0, free_until = Letters;

    /// False, and nothing is sent, where the message is too long or the reader has many unread ones.
    [[gnu::always_inline]] bool put(int kind, const void* data, std::size_t size) {
      if (size > longest) return false;
      if (sent == free_until) {
        free_until = ring->taken_.load(std::memory_order_acquire) + Letters;
        if (sent == free_until) return false;
      }
      ring->write(sent++, kind, data, size);
      return true;
    }
  };

  /// By one of many writers; false likewise.
  bool put(int source, int kind, const void* data, std::size_t size) {
    if (size > longest) return false;
    std::uint64_t ticket = tickets_.load(std::memory_order_relaxed);
    do {
      // Less than none are under way where others have been faster.
      const auto under_way = static_cast<std::int64_t>(ticket - taken_.load(std::memory_order_acquire));
      if (under_way >= static_cast<std::int64_t>(Letters)) return false;
    } while (!tickets_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed));
    letters_[ticket % Letters].source = source;
    write(ticket, kind, data, size);
    return true;
  }

  // The reader's, which counts what it has taken.

  /// The next message, or null. It lies there until done().
  const Letter* next(std::uint64_t taken) const {
    const Letter& letter = letters_[taken % Letters];
    return letter.turn.load(std::memory_order_acquire) == taken + 1 ? &letter : nullptr;
  }
  /// The slots of so many may be written again.
  void done(std::uint64_t taken) { taken_.store(taken, std::memory_order_release); }

 private:
  [[gnu::always_inline]] void write(std::uint64_t number, int kind, const void* data, std::size_t size) {
    Letter& letter = letters_[number % Letters];
    letter.kind = static_cast<std::int16_t>(kind);
    letter.size = static_cast<std::uint16_t>(size);
    if (size > 0) std::memcpy(letter.bytes, data, size);
    letter.turn.store(number + 1, std::memory_order_release);
  }

  Letter letters_[Letters];
  alignas(64) std::atomic<std::uint64_t> taken_;
  alignas(64) std::atomic<std::uint64_t> tickets_;
};

}  // namespace lapwing::progress
