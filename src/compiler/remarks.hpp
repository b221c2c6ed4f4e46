// SPDX-License-Identifier: Apache-2.0
// What the pass tells the user: -Rpass=lapwing, -Rpass-missed=lapwing,
// -fsave-optimization-record.
#pragma once

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include <string>

#include "compiler/waits/place.hpp"

namespace lapwing::compiler {

/// file:line of an instruction, or "an unknown place".
std::string place_name(const llvm::Instruction& instruction);

/// One per moved wait or split call.
void remark_moved(llvm::OptimizationRemarkEmitter& remarks, const Transfer& transfer,
                  const Placement& placement, llvm::StringRef what);
/// One per transfer that was left alone.
void remark_missed(llvm::OptimizationRemarkEmitter& remarks, const llvm::CallBase& call, llvm::StringRef name,
                   llvm::StringRef why, const llvm::Instruction* where);
/// A mistake in the program.
void warn(const llvm::CallBase& call, const llvm::Twine& sentence);

}  // namespace lapwing::compiler
