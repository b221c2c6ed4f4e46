// SPDX-License-Identifier: Apache-2.0
// A wait that reaches the end of its function is handed to the callers: the function returns with its
// transfer in flight, and each call of it is followed by a wait, which moves as any other does.
//
// The token travels in a variable of the thread's, one for each transfer that is handed over: the function
// writes it at each return (null where nothing is outstanding), and what stands right behind the call reads
// it. So nothing can come between, whoever else calls the function meanwhile.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/PassManager.h>

#include "compiler/waits/place.hpp"

namespace lapwing::compiler {

class HandedWaits {
 public:
  /// A wait behind a call of a function that returns with a transfer in flight.
  struct Wait {
    llvm::Instruction* token;  ///< the value that is waited for
    Transfer transfer;         ///< as this function sees it; without buffers: it stays
  };

  HandedWaits(llvm::Module& module, llvm::FunctionAnalysisManager& manager, EffectsOf& effects);

  /// All functions, callees first.
  llvm::ArrayRef<llvm::Function*> callees_first() const { return order_; }

  /// How much callers would gain from what the placement leaves to the function's end; 0 for nothing, or
  /// where not all callers are known.
  unsigned worth(const Transfer& transfer, const Placement& placement, unsigned depth = 0);

  /// Before the function is changed: the variable for a token, and a wait behind each call of the function.
  llvm::GlobalVariable* hand_over(const Transfer& transfer);

  bool contains(const llvm::Instruction& instruction) const { return waits_.count(&instruction) > 0; }
  /// Gives a handed wait once: its instruction may be erased then.
  std::optional<Wait> take(const llvm::Instruction& instruction);

 private:
  bool all_callers_are_known(llvm::Function& function) const;
  std::optional<Transfer> seen_by_caller(const Transfer& transfer, llvm::CallBase& call,
                                         llvm::SmallVectorImpl<llvm::Instruction*>& made);

  llvm::FunctionAnalysisManager& manager_;
  EffectsOf& effects_;
  std::vector<llvm::Function*> order_;
  llvm::SmallPtrSet<const llvm::Function*, 16> recursive_;
  llvm::DenseMap<const llvm::Instruction*, Wait> waits_;
};

/// Whether a place is the function's end itself.
bool is_end(const Stop& stop);

}  // namespace lapwing::compiler
