// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/rewrite.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <memory>

#include "compiler/interior/marks.hpp"
#include "compiler/waits/emit.hpp"
#include "compiler/waits/handed.hpp"
#include "compiler/waits/verify.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

llvm::PointerType* pointer_type(llvm::Function& function) {
  return llvm::PointerType::getUnqual(function.getContext());
}

// `adjoins`: the sending half of a send-receive, with the receiving one right behind it.
StartOf start_of(const Half& half, const MpiCall& call, bool adjoins = false) {
  const Routine& r = call.routine();
  const bool early = half.earlier.at != nullptr;
  const bool in_pair = r.kind == Kind::sendrecv || r.kind == Kind::sendrecv_replace;
  if (half.transfer.shape == Shape::send) {
    llvm::StringRef stem = "lapwing_start_send";
    if (r.kind == Kind::sendrecv_replace) {
      stem = "lapwing_pair_copy";  // its halves never part
    } else if (in_pair) {
      stem = adjoins ? "lapwing_pair_send" : "lapwing_post_send";
    } else if (r.kind == Kind::ssend) {
      stem = "lapwing_start_ssend";
    }
    return {stem, r.buffer, r.count, r.type, r.rank, r.tag, r.comm, -1};
  }
  const bool matched = half.transfer.shape == Shape::matched;
  llvm::StringRef stem = matched ? "lapwing_start_recv_matched" : "lapwing_start_recv";
  if (in_pair) {
    stem = matched ? "lapwing_pair_recv_matched" : "lapwing_pair_recv";
  } else if (!matched && early) {
    stem = "lapwing_post_recv";
  }
  if (r.kind == Kind::sendrecv)
    return {stem, r.receive, r.receive + 1, r.receive + 2, r.receive + 3, r.receive + 4, r.comm, r.status};
  if (r.kind == Kind::sendrecv_replace)
    return {stem, r.buffer, r.count, r.type, r.receive, r.receive + 1, r.comm, r.status};
  return {stem, r.buffer, r.count, r.type, r.rank, r.tag, r.comm, r.status};
}

// The waits outstanding of one transfer.
class Pending {
 public:
  virtual ~Pending() = default;
  /// Emits what keeps the token, before `behind`.
  virtual void started(llvm::Instruction* token, llvm::Instruction* behind) = 0;
  /// The token that was started last, where the call stood.
  virtual Value* last(IRBuilder<>& builder) = 0;
  virtual void wait(llvm::Instruction* at, const llvm::DebugLoc& where) = 0;
};

// One at a time: its token.
class Single : public Pending {
 public:
  Single(Slots& slots, llvm::Function& function)
      : slot_(slots.make(pointer_type(function), llvm::ConstantPointerNull::get(pointer_type(function)),
                         "lapwing.pending")) {}
  void started(llvm::Instruction* token, llvm::Instruction* behind) override {
    IRBuilder<>(behind).CreateStore(token, slot_);
  }
  Value* last(IRBuilder<>& builder) override { return builder.CreateLoad(slot_->getAllocatedType(), slot_); }
  void wait(llvm::Instruction* at, const llvm::DebugLoc& where) override {
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(where);
    auto* type = llvm::cast<llvm::PointerType>(slot_->getAllocatedType());
    Value* token = builder.CreateLoad(type, slot_);
    Value* pending = builder.CreateICmpNE(token, llvm::ConstantPointerNull::get(type), "lapwing.is_pending");
    emit_if(pending, at, [&](IRBuilder<>& inside) {
      inside.SetCurrentDebugLocation(where);
      llvm::Module& module = *slot_->getModule();
      inside.CreateCall(runtime_function(module, "lapwing_wait", inside.getVoidTy(), {type}), {token});
      inside.CreateStore(llvm::ConstantPointerNull::get(type), slot_);
    });
  }

 private:
  llvm::AllocaInst* slot_;
};

// Several: Rid, i_cnt and w_cnt of Das 3.3.
class Queue : public Pending {
 public:
  explicit Queue(llvm::Function& function) {
    llvm::LLVMContext& context = function.getContext();
    auto* count = llvm::Type::getInt32Ty(context);
    type_ = llvm::StructType::get(context, {count, count, llvm::ArrayType::get(pointer_type(function), 16)});
    queue_ = scratch(function, type_, "lapwing.Rid");
    IRBuilder<> builder(queue_->getNextNode());
    builder.CreateStore(builder.getInt32(0), builder.CreateStructGEP(type_, queue_, 0, "lapwing.i_cnt"));
    builder.CreateStore(builder.getInt32(0), builder.CreateStructGEP(type_, queue_, 1, "lapwing.w_cnt"));
  }
  Value* last(IRBuilder<>&) override { return last_; }  // starts where the call stood
  void started(llvm::Instruction* token, llvm::Instruction* behind) override {
    last_ = token;
    IRBuilder<> builder(behind);
    builder.SetCurrentDebugLocation(token->getDebugLoc());
    builder.CreateCall(runtime_function(*token->getModule(), "lapwing_push", builder.getVoidTy(),
                                        {queue_->getType(), token->getType()}),
                       {queue_, token});
  }
  void wait(llvm::Instruction* at, const llvm::DebugLoc& where) override {
    IRBuilder<> builder(at);
    builder.SetCurrentDebugLocation(where);
    Value* started = builder.CreateLoad(builder.getInt32Ty(), builder.CreateStructGEP(type_, queue_, 0));
    Value* waited = builder.CreateLoad(builder.getInt32Ty(), builder.CreateStructGEP(type_, queue_, 1));
    emit_if(builder.CreateICmpNE(started, waited, "lapwing.is_pending"), at, [&](IRBuilder<>& inside) {
      inside.SetCurrentDebugLocation(where);
      inside.CreateCall(
          runtime_function(*queue_->getModule(), "lapwing_drain", inside.getVoidTy(), {queue_->getType()}),
          {queue_});
    });
  }

 private:
  llvm::StructType* type_;
  llvm::AllocaInst* queue_;
  Value* last_ = nullptr;
};

std::unique_ptr<Pending> place_waits(const Half& half, Slots& slots, llvm::Function& function,
                                     const llvm::DebugLoc& where) {
  std::unique_ptr<Pending> pending;
  if (half.transfer.queued) {
    pending = std::make_unique<Queue>(function);
  } else {
    pending = std::make_unique<Single>(slots, function);
  }
  for (const Stop& point : half.placement.points)
    if (!half.handed || !is_end(point)) pending->wait(point.at, where);
  if (!half.handed) return pending;
  for (llvm::BasicBlock& block : function) {
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
    IRBuilder<> builder(block.getTerminator());
    builder.CreateStore(pending->last(builder), half.handed);
  }
  return pending;
}

// Where the call stood that has not waited where it started.
void reach(Pending& pending, llvm::Instruction* at, const llvm::DebugLoc& where) {
  IRBuilder<> builder(at);
  builder.SetCurrentDebugLocation(where);
  Value* token = pending.last(builder);
  auto* type = llvm::cast<llvm::PointerType>(token->getType());
  Value* is_there = builder.CreateICmpNE(token, llvm::ConstantPointerNull::get(type), "lapwing.has_started");
  emit_if(is_there, at, [&](IRBuilder<>& inside) {
    inside.SetCurrentDebugLocation(where);
    inside.CreateCall(runtime_function(*at->getModule(), "lapwing_reach_token", inside.getVoidTy(), {type}),
                      {token});
  });
}

// The halves start in the order in which they are given, but one may start
// higher up: what both need goes there. Gives the half that starts first.
const Half& move_all_companions(llvm::ArrayRef<Half> halves) {
  const Half* first = &halves.front();
  const Half* second = &halves.back();
  if (second->earlier.at) {
    const llvm::DominatorTree dominators(*second->earlier.at->getFunction());
    if (!first->earlier.at || dominators.dominates(second->earlier.at, first->earlier.at))
      std::swap(first, second);
  }
  if (second != first && second->earlier.at) move_companions(second->earlier);
  if (first->earlier.at) move_companions(first->earlier);
  return *first;
}

// How many requests a call has, as a value; and a word to the helper about them.
Value* request_count(const MpiCall& call, IRBuilder<>& builder) {
  const Routine& r = call.routine();
  if (r.requests < 0) return builder.getInt32(1);
  Value* given = call.argument(r.count);
  return call.is_fortran() ? builder.CreateLoad(builder.getInt32Ty(), given) : given;
}

void progress(const MpiCall& call, llvm::StringRef stem, IRBuilder<>& builder, Value* count,
              Value* requests) {
  const std::string name = stem.str() + (call.is_fortran() ? "_" : "");
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  builder.CreateCall(
      runtime_function(module, name, builder.getVoidTy(), {builder.getInt32Ty(), requests->getType()}),
      {count, requests});
}

void defer_starts(const Transfer& transfer) {
  for (llvm::CallBase* start : transfer.starts) {
    IRBuilder<> builder(after(*start));
    builder.SetCurrentDebugLocation(start->getDebugLoc());
    const auto begun = MpiCall::of(*start);
    const Routine& b = begun->routine();
    const bool receives = b.name == "irecv";
    progress(*begun, receives ? "lapwing_defer_receives" : "lapwing_defer", builder,
             request_count(*begun, builder), begun->argument(b.any_request()));
  }
}

// Before the program's wait, where it stands.
void end_progress(const MpiCall& wait) {
  IRBuilder<> builder(&wait.call());
  progress(wait, "lapwing_retire", builder, request_count(wait, builder),
           wait.argument(wait.routine().any_request()));
}

}  // namespace

void split(llvm::ArrayRef<Half> halves) {
  llvm::CallBase* program_call = halves.front().transfer.call;
  const auto call = MpiCall::of(*program_call);
  llvm::Function& function = *program_call->getFunction();
  const llvm::DebugLoc where = program_call->getDebugLoc();
  const bool checked = halves.front().transfer.checked;
  // A start that throws has its value in its normal destination.
  auto* invoke = checked ? nullptr : llvm::dyn_cast<llvm::InvokeInst>(program_call);
  llvm::BasicBlock* behind = invoke ? invoke->getNormalDest() : nullptr;

  Slots slots(function);
  std::vector<std::unique_ptr<Pending>> pending;
  // A wait that its own start stops stands before that.
  for (const Half& half : halves) pending.push_back(place_waits(half, slots, function, where));
  // Behind the waits: what a start's arguments are read from may be received by the last round's message.
  const Half& first = move_all_companions(halves);
  Value* answer = nullptr;
  llvm::Instruction* in_place = program_call;
  if (first.transfer.shape == Shape::collective) {
    in_place = part_ways(*call, ask_may_split_collective(*call));
    llvm::CallBase* token = emit_collective(*call, "lapwing_start_", pointer_type(function), in_place);
    token->setName("lapwing.token");
    pending.front()->started(token, token->getNextNode());
    slots.promote();
    return;
  }
  if (checked) {
    answer = ask_may_split(*call, start_of(first, *call), first.earlier.at ? first.earlier.at : program_call);
    in_place = part_ways(*call, answer);
  }
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const Half& half = halves[i];
    llvm::Instruction* at = in_place;
    if (half.earlier.at)
      at = answer ? llvm::SplitBlockAndInsertIfThen(answer, half.earlier.at, false) : half.earlier.at;
    const bool keeps_status = half.transfer.shape == Shape::matched || !half.transfer.touched.empty();
    // No code reads it, and above the call its variable may not live yet.
    const bool gives_error = !checked && !half.earlier.at;
    const bool adjoins = i + 1 < halves.size() && !half.earlier.at && !halves[i + 1].earlier.at;
    llvm::CallBase* token = emit_start(*call, start_of(half, *call, adjoins), at, keeps_status, gives_error);
    if (half.verified_as) announce(half.verified_as, *token);
    if (invoke) program_call->eraseFromParent();  // a block ends once
    pending[i]->started(token, behind ? &*behind->getFirstInsertionPt() : token->getNextNode());
  }
  for (std::size_t i = 0; !invoke && i < halves.size(); ++i) {
    const bool in_pair = call->kind() == Kind::sendrecv || call->kind() == Kind::sendrecv_replace;
    const bool posted_early = halves[i].earlier.at && halves[i].transfer.shape == Shape::receive;
    if (in_pair || posted_early) reach(*pending[i], in_place, where);
  }
  if (!invoke && !checked) program_call->eraseFromParent();
  slots.promote();
}

void move_handed(const Half& half, llvm::Instruction* token) {
  llvm::CallBase* wait = half.transfer.call;
  llvm::Function& function = *wait->getFunction();
  Slots slots(function);
  const auto pending = place_waits(half, slots, function, wait->getDebugLoc());
  pending->started(token, wait);
  wait->eraseFromParent();
  slots.promote();
}

void move_wait(const Transfer& transfer, const Placement& placement, const MovedWait& how) {
  llvm::CallBase* wait = transfer.call;
  const auto call = MpiCall::of(*wait);
  const Routine& r = call->routine();
  llvm::Function& function = *wait->getFunction();
  llvm::Module& module = *function.getParent();
  const llvm::DebugLoc where = wait->getDebugLoc();
  auto* integer = llvm::Type::getInt32Ty(module.getContext());
  auto* truth = llvm::Type::getInt1Ty(module.getContext());
  Slots slots(function);
  llvm::AllocaInst* pending =
      slots.make(truth, llvm::ConstantInt::getFalse(module.getContext()), "lapwing.pending");

  // The arguments as they are now: taken behind the wait of an earlier round,
  // which may stand just here.
  using Kept = std::function<Value*(IRBuilder<>&)>;
  std::vector<Kept> kept;
  for (unsigned i = 0; i < wait->arg_size(); ++i) {
    Value* argument = wait->getArgOperand(i);
    const int index = static_cast<int>(i);
    if (argument == call->error()) {
      llvm::AllocaInst* error = scratch(function, integer, "lapwing.error");
      kept.push_back([error](IRBuilder<>&) { return error; });
    } else if (index == r.status && how.status_is_dead && r.requests < 0) {
      llvm::AllocaInst* status =
          scratch(function, llvm::ArrayType::get(integer, status_bytes / 4), "lapwing.status");
      kept.push_back([status](IRBuilder<>&) { return status; });
    } else if (index == r.count && call->is_fortran()) {
      Value* count = IRBuilder<>(wait).CreateLoad(integer, argument);
      llvm::AllocaInst* memory = scratch(function, integer, "lapwing.count");
      Kept value = slots.keep(count);
      kept.push_back([memory, value](IRBuilder<>& builder) -> Value* {
        builder.CreateStore(value(builder), memory);
        return memory;
      });
    } else {
      kept.push_back(slots.keep(argument));
    }
  }
  const int requests = r.any_request();
  if (!how.verified_at.empty()) note_starts(transfer, how.verified_at);
  defer_starts(transfer);
  for (const Stop& point : placement.points) {
    IRBuilder<> builder(point.at);
    builder.SetCurrentDebugLocation(where);
    Value* condition = builder.CreateLoad(truth, pending, "lapwing.is_pending");
    emit_if(condition, point.at, [&](IRBuilder<>& inside) {
      inside.SetCurrentDebugLocation(where);
      std::vector<Value*> arguments;
      for (const Kept& value : kept) arguments.push_back(value(inside));
      Value* count = inside.getInt32(1);
      if (r.count >= 0) {
        Value* given = arguments[static_cast<std::size_t>(r.count)];
        count = call->is_fortran() ? inside.CreateLoad(integer, given) : given;
      }
      progress(*call, "lapwing_retire", inside, count, arguments[static_cast<std::size_t>(requests)]);
      inside.CreateCall(wait->getFunctionType(), wait->getCalledOperand(), arguments);
      inside.CreateStore(llvm::ConstantInt::getFalse(module.getContext()), pending);
    });
  }
  llvm::Instruction* sunk = wait;
  if (transfer.checked) {
    sunk = part_ways(*call, ask_may_sink(*call, how.comm, wait));
    end_progress(*call);
  }
  {
    IRBuilder<> builder(sunk);
    builder.SetCurrentDebugLocation(where);
    progress(*call, "lapwing_reach", builder, request_count(*call, builder),
             wait->getArgOperand(static_cast<unsigned>(requests)));
  }
  slots.take(sunk);
  IRBuilder<>(sunk).CreateStore(llvm::ConstantInt::getTrue(module.getContext()), pending);
  if (!transfer.checked) wait->eraseFromParent();
  slots.promote();
}

void add_progress(const Transfer& transfer) {
  defer_starts(transfer);
  const auto wait = MpiCall::of(*transfer.call);
  // How long it waits tells whether a loop had better be divided: its rounds run before a wait that stays.
  if (has_early_rounds(*transfer.call)) {
    IRBuilder<> builder(transfer.call);
    progress(*wait, "lapwing_reach", builder, request_count(*wait, builder),
             wait->argument(wait->routine().any_request()));
  }
  end_progress(*wait);
}

}  // namespace lapwing::compiler
