// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/sibling_calls.hpp"

#include <llvm/IR/Instructions.h>

#include "compiler/remarks.hpp"

namespace lapwing::compiler {
namespace {

// The group's calls that a branch makes before it meets the other, in the program's order.
std::vector<GroupCall> calls_of(const Split& split, unsigned branch, unsigned other, const SetFlow& flow,
                                const Reach& reach) {
  std::vector<llvm::BasicBlock*> until;
  for (const Meeting& meeting : split.meetings)
    if (meeting.at && llvm::is_contained(meeting.branches, branch) &&
        llvm::is_contained(meeting.branches, other))
      until.push_back(meeting.at);
  auto blocks = flow.between(split.branches[branch], until);
  std::vector<GroupCall> found;
  for (llvm::BasicBlock& block : *split.branch->getFunction()) {
    if (!llvm::is_contained(blocks, &block)) continue;
    for (const llvm::Instruction& instruction : block)
      if (reach(instruction) == Reaches::call) found.push_back(*GroupCall::of(instruction));
  }
  return found;
}

bool on_same_comm(const GroupCall& a, const GroupCall& b, Uniformity& uniformity) {
  if (!a.comm() || !b.comm()) return !a.comm() && !b.comm();
  CommHint of_a, of_b;
  return comm_of_call(a, uniformity, &of_a) && comm_of_call(b, uniformity, &of_b) && of_a == of_b;
}

}  // namespace

void find_siblings(const Split& split, const SetFlow& flow, const Reach& reach, Uniformity& uniformity,
                   bool warns, llvm::SmallPtrSetImpl<const llvm::CallBase*>& marked) {
  for (unsigned b = 1; b < split.branches.size(); ++b) {
    for (unsigned a = 0; a < b; ++a) {
      const auto first = calls_of(split, a, b, flow, reach), second = calls_of(split, b, a, flow, reach);
      std::vector<bool> taken(first.size(), false);
      for (const GroupCall& later : second) {
        for (std::size_t i = 0; i < first.size(); ++i) {
          const GroupCall& earlier = first[i];
          if (taken[i] || &earlier.call() == &later.call() || earlier.name() != later.name() ||
              !on_same_comm(earlier, later, uniformity))
            continue;
          taken[i] = true;
          const bool fresh = marked.insert(&earlier.call()).second | marked.insert(&later.call()).second;
          if (warns && fresh) {
            warn(later.call(),
                 later.name() + " stands in one branch of " + place_name(*split.branch) + ", " +
                     earlier.name() + " at " + place_name(earlier.call()) +
                     " in another: plain MPI matches them with each other, on sets they are two calls");
          }
          break;
        }
      }
    }
  }
}

}  // namespace lapwing::compiler
