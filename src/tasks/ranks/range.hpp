// SPDX-License-Identifier: Apache-2.0
// Objects have the same address on all ranks, so that a handle is the same bits
// everywhere: one range of addresses, a slice of it for the objects of each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lapwing::tasks {
struct Object;
}

namespace lapwing::tasks::ranks {

class Range {
 public:
  static constexpr std::size_t slice = std::size_t{1} << 30;
  static constexpr int attempts = 16;
  /// Takes the addresses of the attempt, if they are free.
  bool reserve(int attempt, int rank, int ranks);
  void release();

  bool has(const void* address) const { return address >= begin_ && address < end_; }
  int maker(const void* address) const {
    return static_cast<int>(static_cast<std::size_t>(static_cast<const char*>(address) - begin_) / slice);
  }
  /// A new object of this rank; null when the slice is full.
  Object* make();
  /// The object of another rank at this address, which has perhaps not been met here.
  Object& meet(void* address);
  /// Those that were met and are still there: their memory is zero again.
  void forget_met();

  int rank() const { return rank_; }
  const std::vector<Object*>& met() const { return met_; }

  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(begin_); }
  std::uintptr_t end() const { return reinterpret_cast<std::uintptr_t>(end_); }

 private:
  int rank_ = 0;
  char* begin_ = nullptr;
  char* end_ = nullptr;
  char* next_ = nullptr;
  char* last_ = nullptr;
  std::vector<Object*> met_;
};

/// The range of this process; empty on threads.
Range& range();

}  // namespace lapwing::tasks::ranks
