// SPDX-License-Identifier: Apache-2.0
// What ranks of a node say to each other in memory that they share: each has a
// box of slots, into which any of them puts a message and which it alone empties.
// A message costs a copy and a look at one cache line, no call of MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lapwing::tasks::ranks {

/// Lies in shared memory, which is zeroed.
class Mailbox {
 public:
  static constexpr std::size_t slots = 16;
  static constexpr std::size_t slot_bytes = 16 << 10;

  struct Letter {
    std::atomic<std::uint64_t> turn;  // even: free; odd: full; two more each time around
    std::int32_t source;
    std::int32_t kind;
    std::uint64_t size;
    char bytes[slot_bytes - 24];
  };
  /// Larger messages do not fit.
  static constexpr std::size_t most = sizeof(Letter::bytes);

  /// False if the box is full. Any process and thread may call it; messages of one caller
  /// at a time arrive in their order.
  bool put(int source, int kind, const void* data, std::size_t size);
  /// The next message, or null. The owner's, under its lock; it lies there until done().
  const Letter* next(std::uint64_t taken) const;
  void done(std::uint64_t taken);

 private:
  Letter& letter(std::uint64_t ticket) { return letters_[ticket % slots]; }

  alignas(64) std::atomic<std::uint64_t> tickets_;
  alignas(64) Letter letters_[slots];
};

}  // namespace lapwing::tasks::ranks
