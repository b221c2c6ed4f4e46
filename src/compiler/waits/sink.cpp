// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/sink.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/alias/stale_pointers.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/names.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/candidates.hpp"
#include "compiler/waits/mistakes.hpp"
#include "compiler/waits/place.hpp"
#include "compiler/waits/polls.hpp"
#include "compiler/waits/prepare.hpp"
#include "compiler/waits/rewrite.hpp"
#include "compiler/waits/unfinished_sends.hpp"
#include "compiler/waits/verify.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {
namespace {

class Sinker {
 public:
  Sinker(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
         const Options& options, const Profile& profile, Remarks& remarks, CrossedCalls& crossed,
         HandedWaits* handed, CollectiveChoice* choice)
      : function_(function),
        manager_(manager),
        effects_(effects),
        options_(options),
        profile_(profile),
        remarks_(remarks),
        crossed_(crossed),
        handed_(handed),
        choice_(choice) {}

  bool run() {
    llvm::SmallVector<llvm::CallBase*, 16> calls, staying;
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      const auto call = MpiCall::of(i);
      if (call && (is_wanted(*call) || (handed_ && handed_->contains(i)))) calls.push_back(&call->call());
      if (const char* why = call && !choice_ ? why_it_stays(*call) : nullptr) {
        miss(call->call(), call->spelling(), why, nullptr);
        staying.push_back(&call->call());
      }
    }
    if (calls.empty() && staying.empty()) return false;
    const char* obstacle = nullptr;
    if (may_be_jumped_into(function_)) obstacle = "the function calls setjmp or its like";
    if (effects_.module_properties(*function_.getParent()).runs_operations)
      obstacle = "MPI may run an operation of the program's own whenever it is called";
    if (obstacle) {
      for (llvm::CallBase* call : calls) miss(*call, MpiCall::of(*call)->spelling(), obstacle, nullptr);
      return false;
    }
    // A wait that is needed in a loop stands before it: loops need a place there.
    bool changed = !llvm::LoopSimplifyPass().run(function_, manager_).areAllPreserved();
    changed |= give_places_behind(function_);
    if (changed) manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    look_for_unfinished();
    for (llvm::CallBase* call : calls) {
      changed |= gather_locals(function_);
      auto handed = handed_ ? handed_->take(*call) : std::nullopt;
      changed |= handed ? move(*std::move(handed)) : treat(*MpiCall::of(*call));
    }
    for (llvm::CallBase* call : staying) changed |= help(*MpiCall::of(*call));
    return changed;
  }

 private:
  void look_for_unfinished() {
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    writes_of_unfinished_ = find_writes_of_unfinished(
        function_, memory, effects_, manager_.getResult<llvm::DominatorTreeAnalysis>(function_));
  }

  bool is_wanted(const MpiCall& call) const {
    if (!choice_) return is_candidate(call);
    const auto kind = collective_of(call);
    return kind && !is_own_way(call.call());
  }

  bool only_looks() const { return choice_ && choice_->only_looks(); }

  bool treat(const MpiCall& call) {
    if (choice_ && !choice_->is_seen_whole(*collective_of(call))) {
      miss(call.call(), call.spelling(),
           "some calls of it are not seen: by its address, as PMPI_, or by a definition of the program's own",
           nullptr);
      return false;
    }
    if (!profile_.waits_at(call.call())) {
      miss(call.call(), call.spelling(), "no waiting was measured here", nullptr);
      return false;
    }
    if (writes_of_unfinished_.contains(&call.call())) {
      miss(call.call(), call.spelling(), "it writes what a send that nobody has waited for may still read",
           nullptr);
      return false;
    }
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    stale_pointers_.forget(call.call(), memory, effects_,
                           manager_.getResult<llvm::DominatorTreeAnalysis>(function_));
    Found found = find_transfers(call, memory, effects_, writes_of_unfinished_);
    if (found.never_started)
      warn(call.call(), call.spelling() + " waits for a request that nothing has started");
    if (!found.failure.empty()) {
      miss(call.call(), call.spelling(), found.failure, found.where);
      return false;
    }
    const Flow flow{manager_.getResult<llvm::DominatorTreeAnalysis>(function_),
                    manager_.getResult<llvm::PostDominatorTreeAnalysis>(function_),
                    manager_.getResult<llvm::LoopAnalysis>(function_)};
    const Touched touched = find_touched(found.transfers.front(), memory, effects_, flow.dominators);
    if (touched.access) {
      const auto start = MpiCall::of(*touched.start);
      warn(*touched.start, start->spelling() + ": " + buffer_name(start->argument(start->routine().buffer)) +
                               " is " + (touched.writes ? "written" : "read") + " at " +
                               place_name(*touched.access) + ", before the wait at " +
                               place_name(call.call()) + ": MPI forbids that");
    }
    llvm::SmallVector<Half, 2> halves;
    unsigned worth = 0;
    for (Transfer& transfer : found.transfers) {
      Earlier earlier;
      if (options_.mode != Mode::conservative && may_start_earlier(transfer.shape))
        earlier = find_earlier(transfer, memory, effects_, flow);
      auto placement = place(transfer, earlier.worth, memory, flow);
      if (!placement) {
        miss(call.call(), transfer.name, "no place after it is reached on every way", nullptr);
        return false;
      }
      // A start must stay behind what an earlier round of a loop waits before.
      const bool again = llvm::any_of(placement->points, [&](const Stop& s) {
        return earlier.at && flow.dominators.dominates(earlier.at, s.at) &&
               !flow.dominators.dominates(transfer.call, s.at);
      });
      if (again || transfer.queued || !may_start_earlier(transfer.shape) || earlier.worth < worth_crossing)
        earlier = {};
      halves.push_back(Half{transfer, *placement, std::move(earlier)});
    }
    for (Half& half : halves) {
      if (half.earlier.at && passes_wait_of_other(half, halves, memory, flow)) half.earlier = {};
      worth += half.placement.worth + half.earlier.worth;
    }
    llvm::SmallVector<bool, 2> hands_over;
    for (Half& half : halves) {
      const unsigned gain = worth_of_handing_over(half);
      hands_over.push_back(gain > 0);
      worth += gain;
    }
    if (!is_worth(worth)) {
      if (found.division && is_worth_dividing(found.sends, memory, flow)) return divide_wait(call, found);
      const Stop& stop = halves.front().placement.points.front();
      miss(call.call(), halves.front().transfer.name, stop.reason.text, stop.culprit);
      const Transfer& waited = halves.front().transfer;
      if (waited.shape != Shape::program_wait || !options_.changes() || !worth_between(waited)) return false;
      add_progress(waited);
      manager_.invalidate(function_, llvm::PreservedAnalyses::none());
      return true;
    }
    if (only_looks()) {
      choice_->note_worth(*collective_of(call));
      return false;
    }
    for (const Half& half : halves) remarks_.moved(half.transfer, half.placement, described(half.transfer));
    if (!options_.changes()) return false;
    llvm::SmallSetVector<llvm::BasicBlock*, 4> latches;
    for (const Half& half : halves) {
      crossed_.note(half);
      const auto crossed =
          loops_to_poll(half.placement.crossed, flow.loops, flow.dominators, half.transfer.call->getParent());
      latches.insert(crossed.begin(), crossed.end());
    }
    if (options_.mode == Mode::verify) {
      found.moved.verified_at = places_of(halves.front().placement);
      for (Half& half : halves) {
        if (half.transfer.shape != Shape::collective)
          half.verified_as = verify_site(call.call(), places_of(half.placement), half.earlier.at != nullptr);
      }
    }
    for (auto [half, hands] : llvm::zip(halves, hands_over))
      if (hands) half.handed = handed_->hand_over(half.transfer);
    make_calls(halves);
    if (found.transfers.front().shape == Shape::program_wait) {
      move_wait(halves.front().transfer, halves.front().placement, found.moved);
    } else {
      split(halves);
    }
    add_polls(latches.getArrayRef());
    for (llvm::CallBase* start : found.transfers.front().starts) {
      if (start != &call.call() && start->getFunction() != &function_)
        manager_.invalidate(*start->getFunction(), llvm::PreservedAnalyses::none());
    }
    manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    return true;
  }

  // A call that stays where it is: its messages move meanwhile.
  bool help(const MpiCall& call) {
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    const Found found = find_transfers(call, memory, effects_, writes_of_unfinished_);
    if (!found.failure.empty()) return false;
    const Transfer& completed = found.transfers.front();
    if (!options_.changes() || !worth_between(completed)) return false;
    add_progress(completed);
    manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    return true;
  }

  // Says so in the reasons, too.
  unsigned worth_of_handing_over(Half& half) {
    if (!handed_ || options_.mode == Mode::conservative) return 0;
    const unsigned worth = handed_->worth(half.transfer, half.placement);
    for (Stop& point : half.placement.points)
      if (worth > 0 && is_end(point)) point.reason.text += ", from where its callers wait for it";
    return worth;
  }

  // The wait of a transfer that a function started which is called here.
  bool move(HandedWaits::Wait handed) {
    if (handed.transfer.buffers.empty()) return false;
    Half half{handed.transfer, {}, {}};
    if (half.transfer.writes_of_unfinished) half.transfer.writes_of_unfinished = &writes_of_unfinished_;
    const llvm::CallBase& call = *half.transfer.call;
    Memory memory(manager_.getResult<llvm::AAManager>(function_));
    stale_pointers_.forget(call, memory, effects_,
                           manager_.getResult<llvm::DominatorTreeAnalysis>(function_));
    const Flow flow{manager_.getResult<llvm::DominatorTreeAnalysis>(function_),
                    manager_.getResult<llvm::PostDominatorTreeAnalysis>(function_),
                    manager_.getResult<llvm::LoopAnalysis>(function_)};
    const auto placement = place_as(half.transfer, memory, flow);
    if (!placement) return false;
    half.placement = *placement;
    const unsigned gain = worth_of_handing_over(half);
    if (!is_worth(half.placement.worth + gain)) {
      const Stop& stop = half.placement.points.front();
      miss(call, half.transfer.name, stop.reason.text, stop.culprit);
      return false;
    }
    remarks_.moved(half.transfer, half.placement, "of a function called here is moved");
    crossed_.note(half);
    const auto latches = loops_to_poll(half.placement.crossed, flow.loops, flow.dominators, call.getParent());
    if (gain > 0) half.handed = handed_->hand_over(half.transfer);
    move_handed(half, handed.token);
    add_polls(latches);
    manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    return true;
  }

  bool is_worth(unsigned worth) const {
    return worth > 0 && (!options_.cost_gate || worth >= worth_crossing);
  }

  bool is_worth_dividing(Transfer sends, Memory& memory, const Flow& flow) {
    const auto placement = place_as(sends, memory, flow);
    if (!placement || !is_worth(placement->worth)) return false;
    if (!options_.changes()) remarks_.moved(sends, *placement, described(sends));
    return true;
  }

  bool divide_wait(const MpiCall& call, const Found& found) {
    if (!options_.changes()) return false;
    const Divided waits = divide(call, *found.division);
    // The program itself may overlap something with its receives.
    Transfer others = found.transfers.front();
    others.call = waits.others.front();
    others.starts = found.division->starts_of_others;
    if (worth_between(others)) {
      for (llvm::CallBase* wait : waits.others) {
        others.call = wait;
        add_progress(others);
        others.starts.clear();
      }
    }
    manager_.invalidate(function_, llvm::PreservedAnalyses::none());
    for (llvm::CallBase* wait : waits.sends) {
      stale_pointers_.add(*wait, call.call());
      treat(*MpiCall::of(*wait));
    }
    return true;
  }

  // The wait of the other half's last round is not there yet when the way up is looked at. It stays above
  // what others may learn from that it is over (rule 1), above what reads what it receives, and above
  // another use of its buffer: of two that change places, the one half gets in this round what the other
  // had in the last one.
  static bool passes_wait_of_other(const Half& half, llvm::ArrayRef<Half> halves, Memory& memory,
                                   const Flow& flow) {
    const auto is_passed = [&](const Stop& s) {
      return flow.dominators.dominates(half.earlier.at, s.at) &&
             !flow.dominators.dominates(half.transfer.call, s.at);
    };
    const auto is_read = [&](const llvm::MemoryLocation& where) {
      return llvm::any_of(half.earlier.reads,
                          [&](const auto& read) { return memory.may_alias(read, where); });
    };
    const unsigned shows = half.transfer.shape == Shape::send ? sends : posts;
    return llvm::any_of(halves, [&](const Half& other) {
      if (&other == &half || llvm::none_of(other.placement.points, is_passed)) return false;
      if (shows & ~other.transfer.crosses) return true;
      for (const InFlight& b : other.transfer.buffers) {
        for (const InFlight& a : half.transfer.buffers)
          if ((a.written || b.written) && memory.may_alias(a.where, b.where)) return true;
        if (b.written && is_read(b.where)) return true;
      }
      return llvm::any_of(other.transfer.touched, is_read);
    });
  }

  // Where a receive that only has to be posted cannot go far because others
  // might learn that it is over, it is matched first.
  std::optional<Placement> place(Transfer& transfer, unsigned early, Memory& memory, const Flow& flow) {
    auto placement = place_as(transfer, memory, flow);
    if (transfer.shape != Shape::receive || !placement || !may_be_matched(*transfer.call)) return placement;
    Transfer matched = as_matched(transfer, effects_);
    auto other = place_as(matched, memory, flow);

    if (!other || other->worth < 2 * (placement->worth + early) + worth_crossing) return placement;
    transfer = matched;
    return other;
  }

  std::optional<Placement> place_as(Transfer& transfer, Memory& memory, const Flow& flow) {
    std::optional<Placement> placement;
    if (options_.mode != Mode::conservative) placement = place_aggressively(transfer, memory, effects_, flow);
    Web web(transfer, memory, effects_);
    if (!placement) placement = place_conservatively(transfer, web, flow);
    if (placement && !covers(*placement, transfer, web, flow)) placement.reset();
    if (placement && placement->points.size() > 1 && has(Planted::place)) placement->points.pop_back();
    return placement;
  }

  static bool may_start_earlier(Shape shape) { return shape == Shape::send || shape == Shape::receive; }

  void miss(const llvm::CallBase& call, llvm::StringRef name, llvm::StringRef why,
            const llvm::Instruction* where) {
    if (!only_looks()) remarks_.missed(call, name, why, where);
  }

  static std::string described(const Transfer& transfer) {
    std::string text = "is moved";
    if (transfer.shape == Shape::collective) return "is split where all processes split it";
    if (transfer.shape == Shape::matched) {
      text = "is split once its message is matched";
    } else if (transfer.shape != Shape::program_wait) {
      text = "is split";
    }
    return transfer.checked ? text + " where an error would end the job" : text;
  }

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& manager_;
  EffectsOf& effects_;
  const Options& options_;
  const Profile& profile_;
  Remarks& remarks_;
  CrossedCalls& crossed_;
  HandedWaits* handed_;       // null: nothing is handed over
  CollectiveChoice* choice_;  // null: calls of single processes
  Instructions writes_of_unfinished_;
  StalePointers stale_pointers_;
};

}  // namespace

bool sink_waits(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                const Options& options, const Profile& profile, Remarks& remarks, CrossedCalls& crossed,
                HandedWaits& handed) {
  return Sinker(function, manager, effects, options, profile, remarks, crossed, &handed, nullptr).run();
}

bool split_collectives(llvm::Function& function, llvm::FunctionAnalysisManager& manager, EffectsOf& effects,
                       const Options& options, const Profile& profile, Remarks& remarks,
                       CrossedCalls& crossed, CollectiveChoice& choice) {
  return Sinker(function, manager, effects, options, profile, remarks, crossed, nullptr, &choice).run();
}

}  // namespace lapwing::compiler
