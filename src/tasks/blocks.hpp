// SPDX-License-Identifier: Apache-2.0
// Memory of tasks. Each worker keeps some blocks; where they are made and where
// they end differ, so whole batches travel through a common depot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "progress/locks.hpp"

namespace lapwing::tasks {

struct Block {
  Block* next;
  Block* next_batch;  // of the first block of a batch
};

class BlockDepot {
 public:
  static constexpr int classes = 4;  // 256, 512, 1024, 2048 bytes; larger ones are the system's
  static constexpr int batch = 32;
  static constexpr std::size_t bytes(int size_class) { return std::size_t{256} << size_class; }
  static int class_of(std::size_t size) {
    for (int c = 0; c < classes; ++c) {
      if (size <= bytes(c)) return c;
    }
    return classes;
  }

  /// A batch, linked by `next`.
  Block* take(int size_class);
  void give(int size_class, Block* batch_of_blocks);
  std::size_t allocated() const { return allocated_; }

 private:
  struct Stack {
    progress::SpinLock lock;
    Block* first = nullptr;
  };
  Stack stacks_[classes];
  progress::SpinLock chunks_lock_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t allocated_ = 0;
};

/// One worker's blocks.
class BlockCache {
 public:
  void* take(BlockDepot& depot, std::size_t size, std::uint8_t& size_class) {
    const int c = BlockDepot::class_of(size);
    size_class = static_cast<std::uint8_t>(c);
    if (c == BlockDepot::classes) return ::operator new (size, std::align_val_t{64});
    List& list = lists_[c];
    if (list.first == nullptr) {
      list.first = depot.take(c);
      list.count = BlockDepot::batch;
    }
    Block* const block = list.first;
    list.first = block->next;
    --list.count;
    return block;
  }

  void give(BlockDepot& depot, void* memory, int c) {
    if (c == BlockDepot::classes) return ::operator delete (memory, std::align_val_t{64});
    List& list = lists_[c];
    auto* const block = static_cast<Block*>(memory);
    block->next = list.first;
    list.first = block;
    if (++list.count < 2 * BlockDepot::batch) return;
    Block* last = block;
    for (int i = 1; i < BlockDepot::batch; ++i) last = last->next;
    list.first = last->next;
    list.count -= BlockDepot::batch;
    last->next = nullptr;
    depot.give(c, block);
  }

 private:
  struct List {
    Block* first = nullptr;
    int count = 0;
  };
  List lists_[BlockDepot::classes];
};

}  // namespace lapwing::tasks
