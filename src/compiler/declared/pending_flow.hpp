// SPDX-License-Identifier: Apache-2.0
// Where declarations of a function may still be pending, and where it must wait
// for them.
//
// A wait that names the memory touched is exact: at run time it waits for those
// declarations only that have to do with it. Where the memory cannot be named it
// is for all that a declaration may still have to do.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include <vector>

#include "compiler/declared/declarations.hpp"
#include "compiler/declared/memory_touch.hpp"

namespace lapwing::compiler {

/// A wait that is to stand before an instruction.
struct DeclaredWait {
  llvm::Instruction* before = nullptr;
  const llvm::Instruction* culprit = nullptr;  ///< what reads or writes
  bool define = false;                         ///< before a write; else a use
  std::vector<std::size_t> buffers;            ///< that it may concern, by index
  const llvm::Value* pointer = nullptr;        ///< of `bytes`; or
  std::uint64_t bytes = 0;
  /// The memory that a loop goes through. Where neither is set: all of `buffers`.
  const llvm::SCEV *from = nullptr, *length = nullptr;
  bool names_memory() const { return pointer != nullptr || from != nullptr; }
};

class DeclaredFlow {
 public:
  DeclaredFlow(llvm::Function& function, const std::vector<DeclaredBuffer>& buffers, DeclaredTouch& touch,
               const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators,
               llvm::ScalarEvolution& evolution)
      : function_(function),
        buffers_(buffers),
        touch_(touch),
        loops_(loops),
        dominators_(dominators),
        evolution_(evolution) {}

  std::vector<DeclaredWait> waits();

 private:
  /// The accesses pending of each buffer: bits of Later.
  using State = std::vector<unsigned char>;
  using Needs = std::vector<DeclaredWait>;

  void find_needs();
  void lift_out_of_loops();
  void lift(llvm::Loop& loop, llvm::Instruction& before);
  bool lift(DeclaredWait& need, llvm::Loop& loop, const llvm::Instruction& before) const;
  const llvm::SCEV* rounds_of(const llvm::Loop& loop, const llvm::BasicBlock& block) const;
  bool leads_to_buffer(const DeclaredWait& need) const;
  void step(llvm::Instruction& instruction, State& state, Needs* waits) const;

  llvm::Function& function_;
  const std::vector<DeclaredBuffer>& buffers_;
  DeclaredTouch& touch_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  llvm::DenseMap<const llvm::Instruction*, Needs> needs_;
};

}  // namespace lapwing::compiler
