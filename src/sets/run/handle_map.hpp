// SPDX-License-Identifier: Apache-2.0
// Facts about requests, by their handles: an open hash table, since each receive enters and leaves it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace lapwing::sets {

template <typename Value>
class HandleMap {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// Null if it is not there. Valid until the next change.
  Value* find(MPI_Request handle) {
    if (size_ == 0) return nullptr;
    const std::size_t at = place_of(handle);
    return slots_[at].used ? &slots_[at].value : nullptr;
  }
  void put(MPI_Request handle, const Value& value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(handle)];
    if (!slot.used) ++size_;
    slot = {handle, true, value};
  }
  void erase(MPI_Request handle) {
    if (size_ == 0) return;
    const std::size_t at = place_of(handle);
    if (slots_[at].used) erase_at(at);
  }
  template <typename Wanted>
  void erase_if(Wanted wanted) {
    std::vector<Slot> old(slots_.size());
    old.swap(slots_);
    size_ = 0;
    for (Slot& slot : old)
      if (slot.used && !wanted(slot.value)) put(slot.handle, slot.value);
  }

 private:
  struct Slot {
    MPI_Request handle{};
    bool used = false;
    Value value{};
  };
  static std::size_t hash(MPI_Request handle) {
    std::uint64_t h = 0;
    static_assert(sizeof handle <= sizeof h);
    std::memcpy(&h, &handle, sizeof handle);
    return h * 0x9e3779b97f4a7c15u >> 32;
  }
  // Of the handle, or of the free slot that it would get; there is one.
  std::size_t place_of(MPI_Request handle) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash(handle) & mask;
    while (slots_[at].used && slots_[at].handle != handle) at = (at + 1) & mask;
    return at;
  }
  // Those behind it that would be missed move up.
  void erase_at(std::size_t hole) {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; slots_[at].used; at = (at + 1) & mask) {
      const std::size_t wish = hash(slots_[at].handle) & mask;
      if (((at - wish) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole].used = false;
    --size_;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
    old.swap(slots_);
    size_ = 0;
    for (Slot& slot : old)
      if (slot.used) put(slot.handle, slot.value);
  }

  std::vector<Slot> slots_;  ///< a power of two, at most half of them used
  std::size_t size_ = 0;
};

}  // namespace lapwing::sets
