// SPDX-License-Identifier: Apache-2.0
// Which branches go the same way on all processes that come to them.
//
// LLVM's generic uniformity analysis on the model, function by function, seeded
// with what differs: ranks, received data, input, and everything that is not
// known. It begins by holding loads, arguments and results of calls for equal and
// takes back what is not, until nothing changes. When in doubt, a value differs.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/CycleAnalysis.h>
#include <llvm/Analysis/MemorySSA.h>
#include <llvm/Analysis/UniformityAnalysis.h>
#include <llvm/IR/Dominators.h>

#include <memory>

#include "compiler/sets/model.hpp"

namespace lapwing::compiler {

/// The facts known of one function of the model so far.
struct Known {
  llvm::Function* function = nullptr;
  llvm::DominatorTree* dominators = nullptr;
  llvm::CycleInfo* cycles = nullptr;
  llvm::MemorySSA* memory = nullptr;
  std::unique_ptr<llvm::UniformityInfo> uniformity;
  llvm::SmallPtrSet<const llvm::Value*, 16> differing;  ///< seeds
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> joins;  ///< where ways that differ meet
  llvm::SmallVector<llvm::CallBase*, 4> callers;        ///< all of them, if `all_callers`
  bool all_callers = false;
  bool is_main = false;
  bool result_differs = false;
  bool fresh = false;  ///< `uniformity` and `joins` are those of `differing`

  bool equal(const llvm::Value* value) const { return uniformity->isUniform(value); }
  /// Where it is used: a value of a loop differs behind it if processes leave it in different rounds.
  bool equal(const llvm::Use& use) const;
};

class Uniformity {
 public:
  /// `wanted`: functions of the model whose branches matter.
  Uniformity(Model& model, const llvm::SetVector<llvm::Function*>& wanted);
  ~Uniformity();

  /// Of a terminator of the model.
  bool is_uniform(const llvm::Instruction& branch) const;
  const Known* of(const llvm::Function& function) const;
  Known* of(const llvm::Function& function) {
    return const_cast<Known*>(static_cast<const Uniformity*>(this)->of(function));
  }
  bool errors_differ() const { return errors_differ_; }
  Model& model() { return model_; }

 private:
  void add(llvm::Function& function);
  void seed(Known& known);
  void compute(Known& known);
  /// Takes back what no longer holds; whether there was anything.
  bool refine(Known& known);

  Model& model_;
  bool errors_differ_;
  llvm::MapVector<const llvm::Function*, std::unique_ptr<Known>> known_;
};

}  // namespace lapwing::compiler
