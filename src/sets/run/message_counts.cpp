// SPDX-License-Identifier: Apache-2.0
#include "sets/run/message_counts.hpp"

namespace lapwing::sets {
namespace {

constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;

std::uint64_t bit_of(std::uint64_t comm, std::size_t* word) {
  const std::uint64_t h = comm * odd >> 48;
  *word = h >> 6;
  return std::uint64_t{1} << (h & 63);
}

}  // namespace

std::uint64_t MessageCounts::key_of(std::uint64_t comm, unsigned place) {
  std::uint64_t h = (comm ^ (place + 1) * 0xc4ceb9fe1a85ec53u) * odd;
  h ^= h >> 29;
  return h != 0 ? h : 1;
}

// Where the key is, or would be. At most half of the slots are taken, so there is an end.
std::size_t MessageCounts::slot_of(const Shared& shared, std::uint64_t key) {
  for (std::size_t i = key * odd >> 49;; ++i) {
    i %= most_slots;
    const std::uint64_t found = shared.slots[i].key.load(std::memory_order_acquire);
    if (found == key || found == 0) return i;
  }
}

const MessageCounts::Block* MessageCounts::find(const Shared& shared, std::uint64_t comm, unsigned place,
                                                bool* known) {
  const std::uint64_t key = key_of(comm, place);
  const Shared::Slot& slot = shared.slots[slot_of(shared, key)];
  *known = true;
  if (slot.key.load(std::memory_order_acquire) == key)
    return &shared.blocks[slot.block.load(std::memory_order_acquire) % most_blocks];
  std::size_t word = 0;
  const std::uint64_t bit = bit_of(comm, &word);
  *known = (shared.not_known[word].load(std::memory_order_acquire) & bit) == 0;
  return nullptr;
}

std::uint64_t MessageCounts::sum(const std::atomic<std::uint64_t> (&counts)[columns]) {
  std::uint64_t all = 0;
  for (const auto& count : counts) all += count.load(std::memory_order_acquire);
  return all;
}

void MessageCounts::mark_not_known(std::uint64_t comm) {
  std::size_t word = 0;
  const std::uint64_t bit = bit_of(comm, &word);
  shared_.not_known[word].fetch_or(bit, std::memory_order_release);
}

void MessageCounts::enter(std::uint64_t key, std::uint32_t block) {
  Shared::Slot& slot = shared_.slots[slot_of(shared_, key)];
  slot.block.store(block, std::memory_order_relaxed);
  slot.key.store(key, std::memory_order_release);
}

MessageCounts::Block* MessageCounts::block(std::uint64_t comm, unsigned place) {
  const std::uint64_t key = key_of(comm, place);
  const Shared::Slot& slot = shared_.slots[slot_of(shared_, key)];
  if (slot.key.load(std::memory_order_relaxed) == key)
    return &shared_.blocks[slot.block.load(std::memory_order_relaxed)];
  std::uint32_t number = 0;
  if (free_.empty() && owners_.size() == most_blocks && !make_room()) {
    mark_not_known(comm);
    return nullptr;
  }
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
    owners_[number] = {comm, place};
  } else {
    number = static_cast<std::uint32_t>(owners_.size());
    owners_.push_back({comm, place});
  }
  enter(key, number);
  return &shared_.blocks[number];
}

// A neighbour may still wait for messages of communicators that are freed here.
bool MessageCounts::make_room() {
  if (freed_.empty()) return false;
  for (const std::uint64_t comm : freed_) mark_not_known(comm);
  for (Shared::Slot& slot : shared_.slots) slot.key.store(0, std::memory_order_release);
  for (std::uint32_t i = 0; i < owners_.size(); ++i) {
    if (!freed_.contains(owners_[i].comm)) {
      enter(key_of(owners_[i].comm, owners_[i].place), i);
      continue;
    }
    Block& block = shared_.blocks[i];
    for (auto& count : block.sent) count.store(0, std::memory_order_relaxed);
    for (auto& count : block.begun) count.store(0, std::memory_order_relaxed);
    block.begun_any.store(0, std::memory_order_relaxed);
    free_.push_back(i);
  }
  freed_.clear();
  return !free_.empty();
}

}  // namespace lapwing::sets
