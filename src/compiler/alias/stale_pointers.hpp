// SPDX-License-Identifier: Apache-2.0
// Addresses of allocations that may have been handed on since they were read.
//
// A pointer that was associated with an allocatable still leads to its allocation
// when MOVE_ALLOC has given that to another: who owned it when the address was
// read tells nothing then (allocations.hpp).
#pragma once

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/GlobalVariable.h>

#include "compiler/waits/dependence_web.hpp"

namespace lapwing::compiler {

/// Of one function.
class StalePointers {
 public:
  /// Makes `memory` forget who owns what was read above `call` and may have been handed on before it.
  void forget(const llvm::CallBase& call, Memory& memory, EffectsOf& effects,
              const llvm::DominatorTree& dominators);

  /// A call that is made of another, where that stands.
  void add(const llvm::CallBase& call, const llvm::CallBase& made_of);

 private:
  struct Owned {
    llvm::SmallVector<const llvm::Instruction*, 8> reads;
    Instructions hand_on;
    /// Which reads the owner may have handed on since, at each call of MPI's.
    llvm::DenseMap<const llvm::Instruction*, llvm::BitVector> stale;
  };

  void find(const llvm::Function& function, Memory& memory, EffectsOf& effects);
  static void follow(const llvm::Function& function, Owned& owned);

  bool found_ = false;
  llvm::SmallMapVector<const llvm::GlobalVariable*, Owned, 4> owners_;
};

}  // namespace lapwing::compiler
