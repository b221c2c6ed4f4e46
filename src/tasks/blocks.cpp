// SPDX-License-Identifier: Apache-2.0
#include "tasks/blocks.hpp"

#include <mutex>
#include <new>

namespace lapwing::tasks {

Block* BlockDepot::take(int size_class) {
  Stack& stack = stacks_[size_class];
  {
    const std::lock_guard lock(stack.lock);
    if (stack.first != nullptr) {
      Block* const first = stack.first;
      stack.first = first->next_batch;
      return first;
    }
  }
  const std::size_t size = bytes(size_class);
  auto chunk = std::make_unique_for_overwrite<std::byte[]>(size * batch + 64);
  auto* start = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(chunk.get()) + 63) / 64 * 64);
  {
    const std::lock_guard lock(chunks_lock_);
    chunks_.push_back(std::move(chunk));
    allocated_ += size * batch;
  }
  Block* first = nullptr;
  for (int i = batch - 1; i >= 0; --i) first = ::new (start + i * size) Block{first, nullptr};
  return first;
}

void BlockDepot::give(int size_class, Block* batch_of_blocks) {
  Stack& stack = stacks_[size_class];
  const std::lock_guard lock(stack.lock);
  batch_of_blocks->next_batch = stack.first;
  stack.first = batch_of_blocks;
}

}  // namespace lapwing::tasks
