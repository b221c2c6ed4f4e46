// SPDX-License-Identifier: Apache-2.0
// Counters of loops as scalar evolution can read them. LLVM's GVN computes the next value of an outer loop's
// counter on each of the ways through the loop's body where one of them needs it, and merges the results.
#pragma once

#include <llvm/Analysis/LoopInfo.h>

namespace lapwing::compiler {

/// Computes a counter that is merged from equal results where they are merged. Whether anything was changed.
bool merge_counters(const llvm::LoopInfo& loops);

}  // namespace lapwing::compiler
