// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/ask.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/effects/effects.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

using llvm::IRBuilder;
using llvm::Value;

namespace {

// The bits of lapwing_interior_access (lapwing/compiled.h).
constexpr int writes = 1, kept = 2, message_of_mpi = 4, number_only = 8, from_here = 16, met = 32, alone = 64;

constexpr std::size_t most_kept = 64;  // transfer/compiled/interior_range.hpp

// Whether a start, as it ran last, is the one whose request a wait gets: each round uses the same request.
bool is_of_this_round(const MpiCall& start, const MpiCall& wait) {
  return is_same_in_all_rounds(start.argument(start.routine().request)) &&
         is_same_in_all_rounds(wait.argument(wait.routine().any_request()));
}

}  // namespace

bool Question::add(const WaitedCall& waited, llvm::function_ref<bool(const llvm::Instruction&)> is_from_here,
                   std::string& why) {
  const auto call = MpiCall::of(*waited.call);
  const std::size_t known = messages_.size();
  const auto fails = [&] {
    messages_.resize(known, Message{});
    return false;
  };
  if (is_completion(call->kind())) {
    if (waited.starts.size() != waited.buffers.size())
      return why = "its starts are not all known here", fails();
    for (llvm::CallBase* start : waited.starts) {
      const auto started = MpiCall::of(*start);
      const Kind kind = started->kind();
      const bool is_plain = kind == Kind::isend || kind == Kind::issend || kind == Kind::irecv;
      if (!is_plain || start->getFunction() != waited.call->getFunction())
        return why = "its starts are not all known here", fails();
      const bool is_last = is_of_this_round(*started, *call);
      if (is_from_here(*start) && is_last) continue;
      const Routine& r = started->routine();
      if (!add_message(waited, *started, r.buffer, r.count, r.type, kind == Kind::irecv, is_last, why))
        return fails();
    }
    return true;
  }
  const Routine& r = call->routine();
  const bool receives = call->kind() == Kind::recv || call->kind() == Kind::sendrecv_replace;
  if (!add_message(waited, *call, r.buffer, r.count, r.type, receives, true, why)) return fails();
  if (call->kind() == Kind::sendrecv &&
      !add_message(waited, *call, r.receive, r.receive + 1, r.receive + 2, true, true, why))
    return fails();
  return true;
}

bool Question::add_message(const WaitedCall& waited, const MpiCall& call, int buffer, int count, int type,
                           bool received, bool is_last, std::string& why) {
  const auto element = basic_size(call, type);
  if (!element) return why = "its datatype is derived, or not known here", false;
  InFlight where{llvm::MemoryLocation::getBeforeOrAfter(call.argument(buffer)), true};
  for (const InFlight& one : waited.buffers)
    if (one.written && one.where.Ptr == where.where.Ptr) where = one;
  const bool is_met = received && lookups_.may_meet(where);
  const Message message{&call.call(), buffer, count, *element, received, is_last, is_met};
  const bool is_known = llvm::any_of(messages_, [&](const Message& known) {
    return known.call == message.call && known.buffer == message.buffer;
  });
  if (!is_known) messages_.push_back(message);
  return true;
}

bool Question::can_be_asked() {
  const auto is_safe = [&](const llvm::SCEV* value) { return expander_.isSafeToExpand(value); };
  const auto are_safe = [&](const Footprint& footprint) {
    return is_safe(footprint.first) && is_safe(footprint.bytes) && is_safe(footprint.by) &&
           llvm::all_of(footprint.inner, [&](const Footprint::Step& step) {
             return is_safe(step.by) && is_safe(step.back_edges);
           });
  };
  return is_safe(nest_.back_edges) && llvm::all_of(nest_.footprints, are_safe) &&
         llvm::all_of(nest_.numbers, are_safe) && llvm::all_of(kept_.footprints, are_safe) &&
         llvm::all_of(kept_.numbers, are_safe) && kept_.footprints.size() + messages_.size() <= most_kept;
}

// Where the loop does not come to use a value, it may be one that means nothing, but it is one.
Value* Question::number(const llvm::SCEV* value) {
  Value* made = expander_.expandCodeFor(value, value->getType(), at_);
  return llvm::isa<llvm::Constant>(made) ? made : IRBuilder<>(at_).CreateFreeze(made);
}

void Question::call_access(IRBuilder<>& builder, llvm::ArrayRef<Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 10> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      runtime_function(*at_->getModule(), "lapwing_interior_access", builder.getVoidTy(), types);
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->addParamAttr(0, llvm::Attribute::NoCapture);
    function->addParamAttr(0, llvm::Attribute::ReadNone);
  }
  builder.CreateCall(callee, arguments);
}

void Question::ask_of(IRBuilder<>& builder, const Footprint& footprint, int flags) {
  Value* first = number(footprint.first);
  if (!first->getType()->isPointerTy()) first = builder.CreateIntToPtr(first, builder.getPtrTy());
  Value* bytes = number(footprint.bytes);
  if (footprint.where) bytes = builder.CreateSelect(footprint.where, bytes, builder.getInt64(0));
  llvm::SmallVector<Value*, 10> arguments{
      first, bytes, builder.getInt32(flags | (footprint.writes ? writes : 0) | (footprint.alone ? alone : 0)),
      number(footprint.by)};
  for (std::size_t i = 0; i < most_inner_loops; ++i) {
    const bool is_there = i < footprint.inner.size();
    arguments.push_back(is_there ? number(footprint.inner[i].by) : builder.getInt64(0));
    arguments.push_back(is_there ? number(footprint.inner[i].back_edges) : builder.getInt64(0));
  }
  call_access(builder, arguments);
}

// The message that the call has started last, or all that it ever has: from the lowest byte to the highest.
void Question::note(Message& message) {
  const auto call = MpiCall::of(*message.call);
  IRBuilder<> before(message.call);
  auto* pointer = before.getPtrTy();
  // Fortran's count is a variable, which may change behind the call.
  Value* count = before.CreateSExt(scalar_argument(*call, message.count, before), before.getInt64Ty());
  Value* first = call->argument(message.buffer);
  Value* last =
      before.CreateGEP(before.getInt8Ty(), first, before.CreateMul(count, before.getInt64(message.element)));
  auto* null = llvm::ConstantPointerNull::get(pointer);
  message.low = slots_.make(pointer, null, "lapwing.low");
  message.high = slots_.make(pointer, null, "lapwing.high");
  if (!message.is_last) {
    Value* lowest = before.CreateLoad(pointer, message.low);
    Value* is_lower = before.CreateOr(before.CreateIsNull(lowest), before.CreateICmpULT(first, lowest));
    first = before.CreateSelect(is_lower, first, lowest);
    Value* highest = before.CreateLoad(pointer, message.high);
    last = before.CreateSelect(before.CreateICmpULT(highest, last), last, highest);
  }
  before.CreateStore(first, message.low);
  before.CreateStore(last, message.high);
}

void Question::ask_of(IRBuilder<>& builder, const Message& message) {
  for (const auto& [slot, flags] :
       {std::pair(message.low, from_here), std::pair(message.high, message_of_mpi)}) {
    llvm::SmallVector<Value*, 10> arguments{
        builder.CreateLoad(builder.getPtrTy(), slot), builder.getInt64(0),
        builder.getInt32(kept | flags | (message.received ? writes : 0) | (message.is_met ? met : 0))};
    while (arguments.size() < 10) arguments.push_back(builder.getInt64(0));
    call_access(builder, arguments);
  }
}

void Question::look_up() {
  for (const auto& all : {llvm::ArrayRef(kept_.footprints), llvm::ArrayRef(nest_.footprints)})
    for (const Footprint& one : all)
      if (one.writes && lookups_.may_meet(one)) met_.insert(&one);
}

int Question::met_by_lookups(const Footprint& footprint) const { return met_.contains(&footprint) ? met : 0; }

// Of the largest message that is in flight.
Value* Question::bytes_in_flight(IRBuilder<>& builder) {
  Value* most = builder.getInt64(0);
  for (const Message& message : messages_) {
    const auto at = [&](llvm::AllocaInst* slot) {
      return builder.CreatePtrToInt(builder.CreateLoad(builder.getPtrTy(), slot), builder.getInt64Ty());
    };
    Value* bytes = builder.CreateSub(at(message.high), at(message.low));
    most = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most, bytes);
  }
  return most;
}

// Most exchanges are not worth any question: one call tells so, before all else.
Question::Answer Question::ask(Value* condition, llvm::DomTreeUpdater& trees, llvm::LoopInfo& loops) {
  llvm::Module& module = *at_->getModule();
  Value* back_edges = number(nest_.back_edges);
  for (Message& message : messages_) note(message);
  IRBuilder<> before(at_);
  before.SetCurrentDebugLocation(nest_.loop->getStartLoc());
  Value* all = before.CreateAdd(back_edges, before.getInt64(1), "lapwing.rounds");
  Value* is_worth = before.CreateIsNotNull(before.CreateCall(
      runtime_function(module, "lapwing_interior_is_worth", before.getInt32Ty(), {before.getInt64Ty()}),
      {bytes_in_flight(before)}));
  if (condition) is_worth = before.CreateAnd(condition, is_worth);
  llvm::Instruction* behind = at_;
  llvm::BasicBlock* unasked = at_->getParent();
  at_ = llvm::SplitBlockAndInsertIfThen(is_worth, at_, false, nullptr, &trees, &loops);
  at_->getParent()->setName("lapwing.ask");

  IRBuilder<> builder(at_);
  builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
  auto* number64 = builder.getInt64Ty();
  builder.CreateCall(runtime_function(module, "lapwing_interior_begin", builder.getVoidTy(), {number64}),
                     {back_edges});
  for (const Message& message : messages_)
    if (!message.received || !has(Planted::interior)) ask_of(builder, message);
  for (const Footprint& footprint : kept_.footprints)
    ask_of(builder, footprint, kept | met_by_lookups(footprint));
  for (const Footprint& one : kept_.numbers) ask_of(builder, one, number_only);
  for (const Footprint& footprint : nest_.footprints) ask_of(builder, footprint, met_by_lookups(footprint));
  for (const Footprint& one : nest_.numbers) ask_of(builder, one, number_only);
  auto* rounds = llvm::StructType::get(number64, number64);
  Value* answer = builder.CreateCall(runtime_function(module, "lapwing_interior_end", rounds, {}));
  IRBuilder<> joined(behind->getParent(), behind->getParent()->begin());
  joined.SetCurrentDebugLocation(nest_.loop->getStartLoc());
  const auto or_zero = [&](Value* value, const char* name) {
    llvm::PHINode* phi = joined.CreatePHI(value->getType(), 2, name);
    phi->addIncoming(value, at_->getParent());
    phi->addIncoming(llvm::Constant::getNullValue(value->getType()), unasked);
    return phi;
  };
  Value* begin = or_zero(builder.CreateExtractValue(answer, 0), "lapwing.begin");
  Value* end = or_zero(builder.CreateExtractValue(answer, 1), "lapwing.end");
  Answer made{begin, end, all, {}};
  const auto add_range = [&](std::uint32_t which, llvm::SmallVectorImpl<Value*>& ranges) {
    Value* range = builder.CreateCall(
        runtime_function(module, "lapwing_interior_avoided", rounds, {builder.getInt32Ty()}),
        {builder.getInt32(which)});
    for (unsigned index : {0U, 1U})
      ranges.push_back(or_zero(builder.CreateExtractValue(range, index), "lapwing.avoided"));
  };
  const auto is_met = [&](const Footprint& one) { return met_.contains(&one); };
  const auto kept_met = llvm::count_if(messages_, [](const Message& one) { return one.is_met; }) +
                        llvm::count_if(kept_.footprints, is_met);
  if (kept_met > 0) add_range(0, made.avoided.kept);
  if (kept_met > 1) add_range(1, made.avoided.kept);
  if (llvm::any_of(nest_.footprints, is_met)) add_range(2, made.avoided.own);
  slots_.promote();
  return made;
}

}  // namespace lapwing::compiler
