// SPDX-License-Identifier: Apache-2.0
// The messages that tasks on ranks need of the machine below: ordered, between any
// two ranks. One library for each MPI implements it (tasks/wire), found and
// loaded when a program with tasks has been started by that MPI's launcher.
#pragma once

#include <lapwing/tasks/pack.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "progress/locks.hpp"

namespace lapwing::tasks::ranks {

/// Bytes that have come. Those of a long message are the reader's to keep.
struct Arrived {
  const char* data;
  std::size_t size;
  std::unique_ptr<char[]> memory = nullptr;  // in which data is, if that outlives the handler
  std::unique_ptr<char[]> bulk = nullptr;    // the bytes of a large object, of which data tells the rest

  detail::In all() const { return {data, data + size}; }
  /// Keeps what is left behind `from`.
  void keep(const char* from) {
    const auto left = static_cast<std::size_t>(data + size - from);
    if (memory == nullptr) {
      memory = std::make_unique_for_overwrite<char[]>(left);
      std::memcpy(memory.get(), from, left);
      from = memory.get();
    }
    data = from;
    size = left;
  }
};

class Wire {
 public:
  using Handler = std::function<void(int source, int kind, Arrived message)>;
  virtual ~Wire() = default;

  virtual int rank() const = 0;
  virtual int ranks() const = 0;
  virtual void on_message(Handler handler) = 0;
  /// Ranks of a node send through memory that they share, if they can; the same on all
  /// ranks, and while nothing is on its way.
  virtual void use_node_memory(bool on) = 0;
  /// So do all, and one look finds what has come.
  virtual bool by_memory_only() const = 0;
  /// Sends without waiting; the bytes are copied. Kinds are 1..15. Between two
  /// ranks messages arrive in order.
  virtual void send(int destination, int kind, const void* data, std::size_t size) = 0;
  /// The same for an object, which may come later than what is sent after it where it
  /// is long; its memory is then taken away.
  virtual void send_object(int destination, int kind, detail::Bytes&& bytes) = 0;
  /// The bytes of a large object from where they are, which no task may change until
  /// `left`; in strips of that size. The receiver must be told the number before.
  virtual int next_bulk(int destination) const = 0;
  virtual void send_bulk(int destination, const void* bytes, std::size_t size, std::size_t strip,
                         std::function<void()> left) = 0;
  /// To where they shall be; `landed` is told how many are there, time and again.
  virtual void receive_bulk(int source, int number, void* into, std::size_t size, std::size_t strip,
                            std::function<void(std::size_t)> landed) = 0;
  /// Handles what has arrived; the number of messages.
  virtual int progress() = 0;
  /// The bytes of all ranks, by rank. All ranks call it, and wait.
  virtual std::vector<std::vector<char>> gather(const std::vector<char>& own) = 0;
  /// Returns when all ranks have called it and every message that was sent
  /// before has been handled.
  virtual void settle() = 0;
  /// Something is on its way that moves only while a thread looks.
  virtual bool busy() const = 0;
  virtual std::uint64_t messages() const = 0;  // sent
  virtual std::uint64_t bytes() const = 0;     // sent
  /// Calls of send() so far, and calls of the handler that they made at their receivers.
  virtual std::uint64_t sent() const = 0;
  virtual std::uint64_t handled() const = 0;
  /// Ends all ranks.
  [[noreturn]] virtual void abort() = 0;

  /// Held for every call above; handlers run with it.
  progress::OwnedRecursiveMutex mutex;

  // --- without it ---
  /// From here on who sends something here ends a sleep(). Look once more before
  /// it: what was sent before does not.
  virtual void listen(bool on) = 0;
  /// Until something is sent here, or for so long at most. At once without listen().
  virtual void sleep(std::chrono::nanoseconds most) = 0;
  /// All others end this rank's sleep; else a thread must look from time to time.
  virtual bool woken_by_all() const = 0;
  /// Ranks that share this one's node, itself among them, as far as it knows.
  virtual int neighbours() const = 0;
};

/// The name of the function by which a wire's library is entered. It starts MPI
/// if the program has not; null where there is only one rank.
constexpr const char* wire_entry = "lapwing_tasks_wire_3";  // with the number of this interface
using WireEntry = Wire* (*)();

/// The wire of this process, if it is one of several ranks; the same for each
/// call. Throws Error where its library should be there and is not.
Wire* find_wire();

}  // namespace lapwing::tasks::ranks
