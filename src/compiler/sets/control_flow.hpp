// SPDX-License-Identifier: Apache-2.0
// The control flow that a split sees: paths that return. The end of the program
// does not count, nor does an exception.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

#include <functional>
#include <vector>

namespace lapwing::compiler {

class SetFlow {
 public:
  using Blocks = llvm::SmallVector<llvm::BasicBlock*, 2>;
  /// `ends`: whether control never leaves a block by its terminator.
  SetFlow(llvm::Function& function, const std::function<bool(const llvm::BasicBlock&)>& ends);

  /// Whether some path returns. If none does, the ends of the program take the place of returns.
  bool returns() const { return returns_; }
  bool contains(const llvm::BasicBlock* block) const { return number_.count(block); }
  /// Distinct, in the terminator's order, and only those from which control may return.
  const Blocks& successors(const llvm::BasicBlock* block) const { return next_[number_.lookup(block)]; }
  /// The closest block through which all paths to the function's end pass; null is that end.
  llvm::BasicBlock* closest(const llvm::BasicBlock* block) const {
    return block_of(above_[number_.lookup(block)]);
  }
  /// How many blocks all paths from `block` pass.
  unsigned height(const llvm::BasicBlock* block) const;
  /// The blocks that control may run from the branch at `block` on, before it comes to `closest(block)`.
  std::vector<llvm::BasicBlock*> region(const llvm::BasicBlock* block) const;
  /// The same from the start of `from`, before it comes to any block of `until`.
  std::vector<llvm::BasicBlock*> between(llvm::BasicBlock* from,
                                         llvm::ArrayRef<llvm::BasicBlock*> until) const;
  const std::vector<llvm::BasicBlock*>& blocks() const { return blocks_; }

 private:
  llvm::BasicBlock* block_of(unsigned number) const {
    return number < blocks_.size() ? blocks_[number] : nullptr;
  }
  void find_closest(const std::vector<bool>& leaves);

  std::vector<llvm::BasicBlock*> blocks_;  // the end has the number behind the last
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> number_;
  std::vector<Blocks> next_;
  std::vector<unsigned> above_;
  bool returns_ = false;
};

}  // namespace lapwing::compiler
