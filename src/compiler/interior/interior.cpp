// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/interior.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "compiler/alias/lost_types.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/interior/ask.hpp"
#include "compiler/interior/counters.hpp"
#include "compiler/interior/divide_loop.hpp"
#include "compiler/interior/join_ways.hpp"
#include "compiler/interior/marks.hpp"
#include "compiler/interior/positions.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/waits/candidates.hpp"
#include "compiler/waits/polls.hpp"
#include "compiler/waits/region.hpp"
#include "compiler/waits/unfinished_sends.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {
namespace {

constexpr unsigned most_divided = 16;  // of a function

// Or it completes something without waiting for all of it, where it stands.
bool may_be_waited_for(const MpiCall& call) {
  return is_candidate(call) || (is_completion(call.kind()) && !is_own_way(call.call()));
}

class NestDivider {
 public:
  NestDivider(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
              const Options& options, const Profile& profile, Remarks& remarks)
      : function_(function),
        manager_(manager),
        effects_(effects),
        options_(options),
        profile_(profile),
        remarks_(remarks) {}

  bool run() {
    bool any = false;
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      const auto call = MpiCall::of(i);
      any |= call && may_be_waited_for(*call);
    }
    const ModuleProperties& file = effects_.module_properties(*function_.getParent());
    // The placing of waits says why it leaves such a function alone.
    if (!any || may_be_jumped_into(function_) || file.runs_operations) return false;
    passes_ = !file.frees_sends && !file.sends_synchronously && !file.exposes_memory && !file.shares_memory &&
              !file.maps_memory && !file.handles_errors && !file.calls_back;
    bool changed = passes_ && let_waits_not_throw();
    changed |= passes_ && part_ends_of_lives(function_);
    changed |= restore_lost_types(function_);
    changed |= !llvm::LoopSimplifyPass().run(function_, manager_).areAllPreserved();
    if (changed) changed_function();
    if (merge_counters(manager_.getResult<llvm::LoopAnalysis>(function_))) {
      changed_function();
      changed = true;
    }
    for (unsigned n = 0; n < most_divided && divide_one(); ++n) continue;
    return changed || changed_;
  }

 private:
  struct Waited {
    WaitedCall call;
    llvm::SmallVector<Transfer, 2> transfers;
    llvm::Constant* comm = nullptr;
    unsigned receives = 0;
  };
  using AllWaited = llvm::MapVector<llvm::CallBase*, Waited>;

  void changed_function() { manager_.invalidate(function_, llvm::PreservedAnalyses::none()); }

  // MPI's functions throw only where an error handler does, and this file has none.
  bool let_waits_not_throw() {
    llvm::SmallVector<llvm::InvokeInst*, 8> waits;
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&i);
      const auto call = invoke ? MpiCall::of(i) : std::nullopt;
      if (call && (call->kind() == Kind::wait || call->kind() == Kind::waitall)) waits.push_back(invoke);
    }
    for (llvm::InvokeInst* invoke : waits) llvm::changeToCall(invoke);
    return !waits.empty();
  }

  Analyses analyses(Memory& memory) {
    return {manager_.getResult<llvm::LoopAnalysis>(function_),
            manager_.getResult<llvm::DominatorTreeAnalysis>(function_),
            manager_.getResult<llvm::PostDominatorTreeAnalysis>(function_),
            manager_.getResult<llvm::ScalarEvolutionAnalysis>(function_),
            memory,
            effects_};
  }

  const llvm::TargetLibraryInfo& library() {
    return manager_.getResult<llvm::TargetLibraryAnalysis>(function_);
  }

  // Each division changes what the analyses say.
  bool divide_one() {
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    const AllWaited waited = all_waited(memory);
    llvm::SmallVector<llvm::BasicBlock*, 16> headers;
    for (const llvm::Loop* loop : manager_.getResult<llvm::LoopAnalysis>(function_).getLoopsInPreorder())
      headers.push_back(loop->getHeader());
    for (llvm::BasicBlock* header : headers)
      if (!seen_.contains(header) && divide(*header, waited)) return true;
    return false;
  }

  AllWaited all_waited(Memory& memory) {
    AllWaited found;
    unfinished_ = find_writes_of_unfinished(function_, memory, effects_,
                                            manager_.getResult<llvm::DominatorTreeAnalysis>(function_));
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      const auto call = MpiCall::of(i);
      if (!call || !may_be_waited_for(*call) || !profile_.waits_at(i) || unfinished_.contains(&i)) continue;
      const Found transfers = find_transfers(*call, memory, effects_, unfinished_);
      if (!transfers.failure.empty()) continue;
      Waited one;
      one.transfers = transfers.transfers;
      one.comm = transfers.moved.comm;
      for (const Transfer& transfer : one.transfers) {
        for (const InFlight& buffer : transfer.buffers) one.receives += buffer.written;
        one.call.call = &call->call();
        one.call.starts = transfer.starts;
        one.call.buffers.append(transfer.buffers);
      }
      found[&call->call()] = std::move(one);
    }
    return found;
  }

  // Whether the wait of a call can go as far as a block that is entered at its begin.
  bool reaches(const Waited& waited, const llvm::BasicBlock& block, Memory& memory) {
    llvm::Instruction* from = after(*waited.call.call);
    return from && llvm::any_of(waited.transfers, [&](const Transfer& transfer) {
             const bool may_match = transfer.shape == Shape::receive && may_be_matched(*transfer.call);
             const Transfer asked = may_match ? as_matched(transfer, effects_) : transfer;
             Web web(asked, memory, effects_);
             const Region region = explore({from, from->getParent(), {}, nullptr}, web,
                                           manager_.getResult<llvm::LoopAnalysis>(function_));
             return llvm::is_contained(region.entered, &block);
           });
  }

  bool divide(llvm::BasicBlock& header, const AllWaited& waited) {
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    const Analyses a = analyses(memory);
    llvm::Loop* loop = a.loops.getLoopFor(&header);
    if (!loop->getLoopPreheader() || !a.dominators.isReachableFromEntry(&header)) return false;
    llvm::SmallVector<Position, 4> positions;
    if (passes_ && !writes_unfinished(*loop)) positions = positions_above(*loop, a, resumed_);
    // Behind the rounds of an earlier loop, which this one may need; else where no message has still to
    // leave, and most travels.
    const auto receives = [&](const Position& position) {
      if (resumed_.contains(position.at->getParent())) return ~0U;
      const auto one = [&](llvm::CallBase* call) {
        const auto known = waited.find(call);
        return known == waited.end() ? 0 : known->second.receives;
      };
      unsigned all = one(position.call);
      for (llvm::CallBase* wait : position.completions) all += one(wait);
      return all;
    };
    const auto worth = [&](const Position& position) {
      const unsigned received = receives(position);
      return std::pair(!position.delays || received == ~0U, received);
    };
    llvm::stable_sort(positions, [&](const Position& x, const Position& y) { return worth(x) > worth(y); });
    llvm::erase_if(positions, [&](const Position& position) { return receives(position) == 0; });
    Position in_place;
    in_place.at = loop->getLoopPreheader()->getTerminator();
    const llvm::CallBase* needed = call_stopped_by(*loop, waited, memory);
    if (needed) positions.push_back(in_place);
    if (positions.empty()) return false;
    if (const Position& best = positions.front(); best.call || !best.completions.empty())
      needed = best.call ? best.call : best.completions.front();
    changed_ |= llvm::formLCSSARecursively(*loop, a.dominators, &a.loops, &a.scev);
    if (load_again(*loop, a.scev, memory, effects_)) return changed_ = true, changed_function(), true;
    const NestFound found = describe_nest(*loop, a.loops, *loop->getLoopPreheader(), a.scev, library());
    for (const llvm::Loop* inside : only_loops_inside(*loop))
      if (found.nest && found.nest->lookups.empty() && load_again(*inside, a.scev, memory, effects_))
        return changed_ = true, changed_function(), true;
    seen_.insert(&header);
    if (!found.nest && found.is_final) return miss(header, needed, found.failure, found.where);
    std::string why;
    const llvm::Instruction* where = nullptr;
    for (const Position& position : positions) {
      if (divide(header, position, waited, why, where)) return true;
    }
    return miss(header, needed, why, where);
  }

  // A send that nobody has waited for may still read it: it is not known what tells that this is over.
  bool writes_unfinished(const llvm::Loop& loop) const {
    return llvm::any_of(unfinished_, [&](const llvm::Instruction* i) { return loop.contains(i); });
  }

  // Whose wait comes from above as far as the loop.
  const llvm::CallBase* call_stopped_by(llvm::Loop& loop, const AllWaited& all, Memory& memory) {
    auto& loops = manager_.getResult<llvm::LoopAnalysis>(function_);
    for (const auto& [call, waited] : all) {
      if (loops.getLoopFor(call->getParent()) != loop.getParentLoop()) continue;
      for (const Transfer& transfer : waited.transfers) {
        llvm::Instruction* from = after(*call);
        if (!from) continue;
        const bool may_match = transfer.shape == Shape::receive && may_be_matched(*transfer.call);
        const Transfer asked = may_match ? as_matched(transfer, effects_) : transfer;
        Web web(asked, memory, effects_);
        for (const Stop& stop : explore({from, from->getParent(), {}, nullptr}, web, loops).stops)
          if (loop.contains(stop.culprit->getParent())) return call;
      }
    }
    return nullptr;
  }

  static const llvm::Instruction* unknown_completion(const Way& way, const AllWaited& waited) {
    for (llvm::BasicBlock* block : way.blocks()) {
      for (llvm::Instruction& i : *block) {
        const auto call = MpiCall::of(i);
        if (call && is_completion(call->kind()) && waited.count(&call->call()) == 0) return &i;
      }
    }
    return nullptr;
  }

  bool divide(llvm::BasicBlock& header, const Position& position, const AllWaited& waited, std::string& why,
              const llvm::Instruction*& where) {
    where = nullptr;
    // Values are computed at the end of the first block, waits gathered there, rounds run behind the second.
    llvm::Instruction* at = position.below ? join_ways(*position.at, *position.below) : position.at;
    llvm::BasicBlock* begin = at->getParent();
    llvm::SplitBlock(begin, at);
    llvm::BasicBlock* early = llvm::SplitBlock(begin, begin->getTerminator());
    changed_ = true;
    changed_function();
    llvm::SmallVector<InFlight, 8> received;
    for (const auto& [call, one] : waited)
      for (const Transfer& transfer : one.transfers)
        for (const InFlight& buffer : transfer.buffers)
          if (buffer.written) received.push_back(buffer);
    {
      Memory memory(manager_.getResult<llvm::AAManager>(function_));
      const Analyses a = analyses(memory);
      Way way(*begin, *a.loops.getLoopFor(&header), a);
      if (const llvm::Instruction* unknown = unknown_completion(way, waited))
        return where = unknown, why = "it is not known what is waited for before it", false;
      way.compute_early(received);
    }
    changed_function();
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    const Analyses a = analyses(memory);
    llvm::Loop& loop = *a.loops.getLoopFor(&header);
    const NestFound found = describe_nest(loop, a.loops, *begin, a.scev, library());
    if (!found.nest) return where = found.where, why = found.failure, false;
    Way way(*begin, loop, a);
    auto runs = way.loop_reached();
    if (!runs) return why = "it is not known early whether it runs", false;
    Accesses kept(a.scev, a.loops, *begin, nullptr);
    Survey survey(a.scev, a.loops, a.dominators, loop.getParentLoop());
    if (!way.describe(received, kept, survey, why)) return false;
    llvm::SCEVExpander expander(a.scev, layout_of(function_), "lapwing");
    Lookups lookups(found.nest->lookups, memory, effects_);
    Question question(*found.nest, kept, survey, lookups, expander, early->getTerminator());
    llvm::SmallVector<llvm::CallBase*, 4> crossed;
    llvm::SmallVector<std::pair<llvm::CallBase*, llvm::Value*>, 4> gathered;
    llvm::SmallPtrSet<const llvm::Instruction*, 4> go_together;
    for (llvm::BasicBlock* block : way.blocks()) {
      for (llvm::Instruction& i : *block) {
        const auto call = MpiCall::of(i);
        if (!call || !is_completion(call->kind())) continue;
        const auto known = waited.find(&call->call());
        // Else it is what an earlier round of a loop around has started that the wait may get.
        const auto is_from_here = [&](const llvm::Instruction& start) {
          return way.contains(start) && a.dominators.dominates(&start, &i);
        };
        if (!question.add(known->second.call, is_from_here, why)) return false;
        if (!llvm::is_contained(position.completions, &call->call())) continue;
        crossed.push_back(&call->call());
        // The others end their messages where they stand, behind the rounds.
        if (!is_candidate(*call) || !way.could_begin_with(call->call(), go_together)) continue;
        const auto waits = way.reached(*block);
        if (!waits || !way.relied_on().empty()) continue;
        gathered.emplace_back(&call->call(), *waits);
        go_together.insert(&i);
      }
    }
    why = "it is not known where the wait begins";
    for (const auto& [call, known] : waited) {
      if (way.contains(*call) || !reaches(known, *early, memory)) continue;
      if (question.add(
              known.call, [](const auto&) { return false; }, why))
        crossed.push_back(call);
    }
    if (crossed.empty() || !question.can_be_asked() || !can_be_divided(*found.nest, *begin, a.scev, expander))
      return false;
    question.look_up();
    if (lookups.meet_anything() && !found.nest->sums.empty())
      return why = "it has sums, and looks up what may be in a message", false;
    if (!lookups.prepare(loop, *early, a.scev, a.dominators))
      return why = "what a round looks up is not known in time", false;
    std::string why_not = "others than this process may change them";
    const llvm::Instruction* changed_at = nullptr;
    Memory lasting(manager_.getResult<llvm::AAManager>(function_));
    lasting.forget_owners();  // who may hand on what they own
    auto remembering =
        lookups.meet_anything() && passes_
            ? Remembering::of(loop, lookups.addresses(), *early,
                              {a.loops, a.dominators, a.post_dominators, a.scev, lasting, effects_}, why_not,
                              changed_at)
            : std::nullopt;
    remarks_.divided(loop, crossed);
    if (lookups.meet_anything()) remarks_.looked_at(loop, remembering ? "" : why_not, changed_at);
    if (!options_.changes()) return true;
    for (llvm::CallBase* wait : way.relied_on()) {
      llvm::Value* may =
          ask_may_sink(*MpiCall::of(*wait), waited.find(wait)->second.comm, early->getTerminator());
      runs = *runs ? llvm::IRBuilder<>(early->getTerminator()).CreateAnd(*runs, may) : may;
    }
    llvm::DomTreeUpdater trees(a.dominators, a.post_dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
    const llvm::Instruction* end = early->getTerminator();
    const Question::Answer answer = question.ask(*runs, trees, a.loops);
    early = const_cast<llvm::BasicBlock*>(end->getParent());
    llvm::BasicBlock* behind = early->getSingleSuccessor();
    const bool declares_scopes = way.declares_scopes();
    const DividedLoop made = divide_loop(*found.nest, *early, answer, lookups,
                                         remembering ? &*remembering : nullptr, a.scev, expander);
    mark_clear(made.interior, crossed);
    if (declares_scopes) forget_scopes(made.interior);
    gather(gathered, *begin);
    seen_.insert(made.headers.begin(), made.headers.end());
    resumed_.insert(behind);
    changed_function();
    poll_in(made.interior, *behind);
    return true;
  }

  // Messages whose waits stay behind the early rounds are moved by nothing else meanwhile.
  void poll_in(llvm::ArrayRef<llvm::BasicBlock*> early, const llvm::BasicBlock& behind) {
    add_polls(loops_to_poll(early, manager_.getResult<llvm::LoopAnalysis>(function_),
                            manager_.getResult<llvm::DominatorTreeAnalysis>(function_), &behind));
    changed_function();
  }

  static void gather(llvm::ArrayRef<std::pair<llvm::CallBase*, llvm::Value*>> waits,
                     llvm::BasicBlock& begin) {
    llvm::Instruction* at = begin.getTerminator();
    for (const auto& [wait, runs] : waits)
      wait->moveBefore(runs ? llvm::SplitBlockAndInsertIfThen(runs, at, false) : at);
  }

  // They hold behind where they are declared, which is behind these blocks.
  static void forget_scopes(llvm::ArrayRef<llvm::BasicBlock*> blocks) {
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& i : *block) {
        i.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
        i.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
      }
    }
  }

  bool miss(const llvm::BasicBlock& header, const llvm::CallBase* call, const std::string& why,
            const llvm::Instruction* where) {
    const auto& loops = manager_.getResult<llvm::LoopAnalysis>(function_);
    if (call) remarks_.not_divided(*loops.getLoopFor(&header), *call, why, where);
    return false;
  }

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& manager_;
  EffectsOf& effects_;
  const Options& options_;
  const Profile& profile_;
  Remarks& remarks_;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen_;  // headers
  llvm::SmallPtrSet<llvm::BasicBlock*, 8> resumed_;     // behind copies that run early
  Instructions unfinished_;
  bool passes_ = false;  // whether rounds may run before what stands above their loop
  bool changed_ = false;
};

}  // namespace

bool divide_nests(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                  const Options& options, const Profile& profile, Remarks& remarks) {
  if (!options.interior || options.mode == Mode::conservative) return false;
  return NestDivider(function, manager, effects, options, profile, remarks).run();
}

}  // namespace lapwing::compiler
