// SPDX-License-Identifier: Apache-2.0
// One function: every candidate is matched, placed, checked and moved.
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/effects/effects.hpp"
#include "compiler/options.hpp"
#include "compiler/profile.hpp"
#include "compiler/remarks.hpp"
#include "compiler/waits/crossed_calls.hpp"
#include "compiler/waits/handed.hpp"
#include "compiler/waits/split_collectives.hpp"

namespace lapwing::compiler {

/// True if the function was changed. Analyses of `manager` are then recomputed.
bool sink_waits(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                const Options& options, const Profile& profile, Remarks& remarks, CrossedCalls& crossed,
                HandedWaits& handed);

/// Which kinds of collectives are split: first all calls are looked at, then those
/// of kinds of which one was worth it are split.
class CollectiveChoice {
 public:
  explicit CollectiveChoice(CollectiveSet seen_whole) : seen_(seen_whole) {}
  bool is_seen_whole(std::size_t kind) const { return seen_[kind]; }
  bool only_looks() const { return looks_; }
  void note_worth(std::size_t kind) { kinds_.set(kind); }
  void decide() { looks_ = false; }
  CollectiveSet kinds() const { return kinds_; }

 private:
  CollectiveSet seen_, kinds_;
  bool looks_ = true;
};

/// The collectives of one function.
bool split_collectives(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                       const Options& options, const Profile& profile, Remarks& remarks,
                       CrossedCalls& crossed, CollectiveChoice& choice);

}  // namespace lapwing::compiler
