// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/sets_remarks.hpp"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "compiler/remarks.hpp"

namespace lapwing::compiler {
namespace {

constexpr const char* sets_pass_name = "lapwing-sets";

// A jump through a table has no line of its own: that of the statement that comes to it counts.
const llvm::Instruction& with_line(const llvm::Instruction& branch) {
  const llvm::BasicBlock* block = branch.getParent();
  for (auto i = branch.getReverseIterator(); i != block->rend(); ++i)
    if (i->getDebugLoc() && i->getDebugLoc().getLine()) return *i;
  for (const llvm::BasicBlock* before : llvm::predecessors(block))
    if (before->getTerminator()->getDebugLoc()) return *before->getTerminator();
  return branch;
}

}  // namespace

void remark_split(const Split& split) {
  llvm::OptimizationRemarkEmitter emitter(split.branch->getFunction());
  emitter.emit([&] {
    llvm::OptimizationRemark remark(sets_pass_name, "Split", split.branch);
    remark << "processes part " << llvm::ore::NV("Branches", static_cast<unsigned>(split.branches.size()))
           << " ways at " << llvm::ore::NV("At", place_name(*split.branch)) << " and meet at ";
    bool first = true;
    for (const Meeting& meeting : split.meetings) {
      remark << (first ? "" : ", ")
             << llvm::ore::NV("Merge", meeting.at ? place_name(meeting.at->front()) : "the function's end");
      first = false;
    }
    return remark;
  });
}

void remark_pointer(const llvm::Instruction& call) {
  llvm::OptimizationRemarkEmitter emitter(call.getFunction());
  emitter.emit([&] {
    llvm::OptimizationRemark remark(sets_pass_name, "Pointer", &call);
    remark << "processes part that call different functions at " << llvm::ore::NV("At", place_name(call));
    return remark;
  });
}

void remark_uniform(const Split& split) {
  llvm::OptimizationRemarkEmitter emitter(split.branch->getFunction());
  emitter.emit([&] {
    llvm::OptimizationRemarkAnalysis remark(sets_pass_name, "Uniform", split.branch);
    remark << "all processes go the same way at " << llvm::ore::NV("At", place_name(*split.branch));
    return remark;
  });
}

void remark_refused(const RefusedSplit& refused) {
  llvm::OptimizationRemarkEmitter emitter(refused.branch->getFunction());
  emitter.emit([&] {
    llvm::OptimizationRemarkMissed remark(sets_pass_name, "Refused", &with_line(*refused.branch));
    remark << "no split at " << llvm::ore::NV("At", place_name(with_line(*refused.branch))) << ": "
           << llvm::ore::NV("Reason", refused.why);
    return remark;
  });
}

void remark_refused_in_handler(const llvm::Instruction& call) {
  llvm::OptimizationRemarkEmitter emitter(call.getFunction());
  emitter.emit([&] {
    llvm::OptimizationRemarkMissed remark(sets_pass_name, "Refused", &call);
    remark << "no split for the call at " << llvm::ore::NV("At", place_name(call))
           << ": only processes that caught an exception come to it";
    return remark;
  });
}

void remark_refused(const llvm::Function& function, llvm::StringRef why) {
  llvm::OptimizationRemarkEmitter emitter(&function);
  emitter.emit([&] {
    llvm::OptimizationRemarkMissed remark(sets_pass_name, "Refused",
                                          llvm::DiagnosticLocation(function.getSubprogram()),
                                          &function.getEntryBlock());
    remark << "no splits in this function: " << llvm::ore::NV("Reason", why);
    return remark;
  });
}

}  // namespace lapwing::compiler
