// SPDX-License-Identifier: Apache-2.0
// What the pass tells the user: -Rpass=lapwing, -Rpass-missed=lapwing,
// -fsave-optimization-record.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/PassManager.h>

#include <string>

#include "compiler/waits/place.hpp"

namespace lapwing::compiler {

/// file:line of an instruction, or "an unknown place".
std::string place_name(const llvm::Instruction& instruction);

/// The remarks of one run of the pass, each place once: also of code that was inlined in several functions.
class Remarks {
 public:
  /// `at_link`: the linker shows a remark as it prints itself, so it says what it is as compilers do.
  Remarks(llvm::FunctionAnalysisManager& manager, bool at_link) : manager_(manager), at_link_(at_link) {}

  /// One per moved wait or split call.
  void moved(const Transfer& transfer, const Placement& placement, llvm::StringRef what);
  /// One per transfer that was left alone.
  void missed(const llvm::CallBase& call, llvm::StringRef name, llvm::StringRef why,
              const llvm::Instruction* where);
  /// One per loop that is divided into what needs these calls and what does not.
  void divided(const llvm::Loop& loop, llvm::ArrayRef<llvm::CallBase*> calls);
  /// Of one whose rounds look into index lists: once for many times, or each time, for this reason.
  void looked_at(const llvm::Loop& loop, llvm::StringRef why_each_time, const llvm::Instruction* where);
  void not_divided(const llvm::Loop& loop, const llvm::CallBase& call, llvm::StringRef why,
                   const llvm::Instruction* where);

 private:
  template <class Kind, class Fill>
  void say(const char* name, const llvm::DebugLoc& place, const llvm::BasicBlock& block, Fill fill);

  llvm::FunctionAnalysisManager& manager_;
  bool at_link_;
  llvm::StringSet<> said_;
};

/// A mistake in the program.
void warn(const llvm::CallBase& call, const llvm::Twine& sentence);
/// The same, shown as the compiler shows its own: with the line of the source, of the group -Wpass-failed.
void warn_at(const llvm::CallBase& call, const llvm::Twine& sentence);

}  // namespace lapwing::compiler
