// SPDX-License-Identifier: Apache-2.0
// The way from a wait to a loop: what stands between them, mostly the unpacking of what came. Rounds of the
// loop may run before all of it if they touch nothing that it touches.
#pragma once

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include "compiler/effects/effects.hpp"
#include "compiler/interior/accesses.hpp"
#include "compiler/interior/settled.hpp"
#include "compiler/interior/survey.hpp"
#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

/// Rounds of a loop may pass these, as far as others see: no process learns when another one computes, unless
/// it looks into its memory. Completions are passed where it is known what they complete: else the rounds may
/// touch what was in flight until then.
inline constexpr unsigned may_be_passed = posts | sends | receives;

struct Analyses {
  llvm::LoopInfo& loops;
  llvm::DominatorTree& dominators;
  llvm::PostDominatorTree& post_dominators;
  llvm::ScalarEvolution& scev;
  Memory& memory;
  EffectsOf& effects;
};

class Way {
 public:
  /// From the end of `begin` to the begin of the loop. Neither may stand in a loop that does not hold the
  /// other.
  Way(llvm::BasicBlock& begin, llvm::Loop& loop, Analyses analyses);

  /// Moves to the end of `begin` what is computed on the way, or in the loop, and could be computed there.
  /// `received`: what waits and calls on the way may bring.
  void compute_early(llvm::ArrayRef<InFlight> received);
  /// Whether a block, or the loop, is come to: a truth at the end of `begin`, null for always. None where
  /// that is not known there.
  std::optional<llvm::Value*> reached(llvm::BasicBlock& block);
  std::optional<llvm::Value*> loop_reached() { return reached(*loop_.getLoopPreheader()); }

  /// Adds what the way touches that the loop may touch as well. `received`: as above.
  bool describe(llvm::ArrayRef<InFlight> received, Accesses& kept, Survey& survey, std::string& why);
  /// Waits whose error sends the program elsewhere: `reached` holds where none of them fails.
  llvm::ArrayRef<llvm::CallBase*> relied_on() const { return relied_on_.getArrayRef(); }
  /// Whether a wait could stand at the way's begin, behind others that go there.
  bool could_begin_with(llvm::CallBase& wait,
                        const llvm::SmallPtrSetImpl<const llvm::Instruction*>& go_with_it);
  bool contains(const llvm::Instruction& i) const { return is_on_way_.contains(i.getParent()); }
  llvm::ArrayRef<llvm::BasicBlock*> blocks() const { return blocks_; }
  bool declares_scopes() const { return declares_scopes_; }

 private:
  std::optional<llvm::Value*> passed(llvm::BasicBlock& from, llvm::BasicBlock& to);
  bool is_failure(const llvm::BasicBlock& from, const llvm::BasicBlock& to);
  std::optional<llvm::Value*> find_reached(llvm::BasicBlock& block);
  llvm::Value* may_be_reached(llvm::BasicBlock& block);
  bool is_early(const llvm::Value* value) const;
  bool has_early_operands(const llvm::Instruction& i) const;
  bool is_movable(const llvm::Instruction& i, llvm::ArrayRef<InFlight> received);
  bool read_early_if_reached(llvm::LoadInst& load, llvm::ArrayRef<InFlight> received);
  bool is_within_what_was_used(const llvm::LoadInst& load);
  bool simplify(llvm::Instruction& i, llvm::ArrayRef<llvm::Instruction*> moved);
  bool meets_loop(const llvm::Instruction& i, const Effects& effects);
  bool meets_loop(const Touch& touch, const llvm::Value* request = nullptr);
  bool is_settled(const llvm::LoadInst& load, llvm::ArrayRef<InFlight> received);
  bool describe(llvm::Instruction& i, Accesses& kept, Survey& survey, llvm::Value* where);
  bool describe_start(const MpiCall& call, const Effects& effects, Accesses& kept, llvm::Value* where);

  llvm::BasicBlock& begin_;
  llvm::Loop& loop_;
  Analyses a_;
  llvm::SmallVector<llvm::BasicBlock*, 16> blocks_;  // in the order in which they run
  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> is_on_way_;
  struct Place {
    llvm::MemoryLocation where;
    bool written;
    bool floating;    // its accesses are those to floating-point numbers
    bool no_request;  // or it is read only, and no request
  };
  llvm::SmallVector<Place, 16> places_;  // that the loop touches
  llvm::DenseMap<const llvm::BasicBlock*, std::optional<llvm::Value*>> reached_;
  llvm::SmallSetVector<llvm::CallBase*, 2> relied_on_;
  bool declares_scopes_ = false;
};

}  // namespace lapwing::compiler
