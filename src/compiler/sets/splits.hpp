// SPDX-License-Identifier: Apache-2.0
// Where processes part and where they meet again, in one function.
#pragma once

#include <llvm/IR/Function.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/sets/control_flow.hpp"
#include "compiler/sets/reachability.hpp"

namespace lapwing::compiler {

struct Meeting {
  llvm::BasicBlock* at;            ///< null: the function's end
  std::vector<unsigned> branches;  ///< those all of whose processes come here
};

struct Split {
  llvm::Instruction* branch;                ///< a conditional br, or a switch
  std::vector<llvm::BasicBlock*> branches;  ///< where each begins
  std::vector<Meeting> meetings;            ///< in the order in which control may come to them
};

/// A branch with a group's call in its scope that cannot be a split.
struct RefusedSplit {
  llvm::Instruction* branch;
  std::string why;
};

struct FunctionSplits {
  llvm::Function* function;
  std::unique_ptr<SetFlow> flow;
  std::vector<Split> splits;
  std::vector<RefusedSplit> refused;
  std::string refused_whole;  ///< why the function as a whole is left alone
};

/// All branches with a group's call in their scope.
FunctionSplits find_splits(llvm::Function& function, const Reach& reach);

}  // namespace lapwing::compiler
