// SPDX-License-Identifier: Apache-2.0
// Memory that the processes of a node share, for strips: a sender packs into it
// and the receiver unpacks out of it, so that MPI carries the slot's number
// instead of copying the strip in and out once more.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

namespace lapwing::arrays {

class NodeMemory {
 public:
  static constexpr int slots = 8;
  static constexpr std::int64_t slot_size = 128 << 10;
  /// What is told in place of a strip, and known by its size: smaller strips travel themselves.
  using Note = std::int64_t;
  static constexpr std::int64_t smallest_strip = 16;

  NodeMemory() = default;
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  /// Collective over `all`, as is release().
  void create(MPI_Comm all);
  void release();

  /// Whether rank `rank` of `all` is another process of this node.
  bool near(int rank) const { return !bases_.empty() && bases_[static_cast<std::size_t>(rank)] != nullptr; }

  /// A free slot of this process, or -1; it stays taken until its reader lets it go.
  int take();
  char* mine(int slot) const { return data(base_, slot); }
  /// A slot that was taken, written and announced: whether its reader is done.
  bool let_go(int slot) const { return flag(base_, slot).load(std::memory_order_acquire) == 0; }
  /// Of the process with that rank in `all`.
  const char* theirs(int rank, int slot) const { return data(bases_[static_cast<std::size_t>(rank)], slot); }
  void done_with(int rank, int slot) const {
    flag(bases_[static_cast<std::size_t>(rank)], slot).store(0, std::memory_order_release);
  }

 private:
  // A page of flags, each in a line of its own, then the slots.
  static constexpr std::int64_t line = 64, first = 4096;
  static std::atomic<std::uint32_t>& flag(char* base, int slot) {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(base + slot * line);
  }
  static char* data(char* base, int slot) { return base + first + slot * slot_size; }

  MPI_Comm node_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
  char* base_ = nullptr;
  std::vector<char*> bases_;  // by rank of `all`
};

}  // namespace lapwing::arrays
