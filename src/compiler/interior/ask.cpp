// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/ask.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/effects/effects.hpp"
#include "compiler/interior/emit_access.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr std::size_t most_kept = 64;    // of the 128 of transfer/compiled/interior_range.hpp
constexpr unsigned words_of_given = 26;  // lapwing_given (lapwing/compiled.h)
constexpr unsigned words_of_layout = 9;  // lapwing_layout

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
  if (!element && !is_last) return why = "its datatype is derived, or not known here", false;
  InFlight where{llvm::MemoryLocation::getBeforeOrAfter(call.argument(buffer)), true};
  for (const InFlight& one : waited.buffers)
    if (one.written && one.where.Ptr == where.where.Ptr) where = one;
  const bool is_met = received && lookups_.may_meet(where);
  const Message message{&call.call(),        buffer,   count,   element ? -1 : type,
                        element.value_or(0), received, is_last, is_met};
  const bool is_known = llvm::any_of(messages_, [&](const Message& known) {
    return known.call == message.call && known.buffer == message.buffer;
  });
  if (!is_known) messages_.push_back(message);
  return true;
}

bool Question::can_be_asked() {
  const auto are_safe = [&](const Footprint& footprint) { return is_safe_to_expand(footprint, expander_); };
  return expander_.isSafeToExpand(nest_.back_edges) &&
         llvm::all_of(nest_.inside,
                      [&](const Inside& one) { return expander_.isSafeToExpand(one.back_edges); }) &&
         llvm::all_of(nest_.footprints, are_safe) && llvm::all_of(nest_.numbers, are_safe) &&
         llvm::all_of(kept_.footprints, are_safe) && llvm::all_of(kept_.numbers, are_safe) &&
         kept_.footprints.size() + messages_.size() <= most_kept;
}

// For the run time to write to; all 0 at first.
llvm::AllocaInst* Question::words(unsigned count, const char* name) {
  auto* type = llvm::ArrayType::get(llvm::Type::getInt64Ty(at_->getContext()), count);
  llvm::AllocaInst* made = scratch(*at_->getFunction(), type, name);
  IRBuilder<>(made->getNextNode()).CreateStore(llvm::ConstantAggregateZero::get(type), made);
  return made;
}

// The message that the call has started last, or all that it ever has.
void Question::note(Message& message) {
  const auto call = MpiCall::of(*message.call);
  llvm::Module& module = *at_->getModule();
  IRBuilder<> before(message.call);
  before.SetCurrentDebugLocation(message.call->getDebugLoc());
  auto* pointer = before.getPtrTy();
  // Fortran's count is a variable, which may change behind the call.
  Value* count = before.CreateSExt(scalar_argument(*call, message.count, before), before.getInt64Ty());
  Value* first = call->argument(message.buffer);
  if (message.type >= 0) {
    message.noted = words(words_of_layout, "lapwing.layout");
    Value* type = call->argument(message.type);
    before.CreateCall(
        runtime_function(module,
                         call->is_fortran() ? "lapwing_interior_lay_out_" : "lapwing_interior_lay_out",
                         before.getVoidTy(), {pointer, pointer, before.getInt64Ty(), type->getType()}),
        {message.noted, first, count, type});
    return;
  }
  Value* bytes = before.CreateMul(count, before.getInt64(message.element));
  if (!message.is_last) {
    message.noted = words(words_of_given, "lapwing.given");
    before.CreateCall(runtime_function(module, "lapwing_interior_give", before.getVoidTy(),
                                       {pointer, pointer, before.getInt64Ty()}),
                      {message.noted, first, bytes});
    return;
  }
  auto* null = llvm::ConstantPointerNull::get(pointer);
  message.low = slots_.make(pointer, null, "lapwing.low");
  message.high = slots_.make(pointer, null, "lapwing.high");
  before.CreateStore(first, message.low);
  before.CreateStore(before.CreateGEP(before.getInt8Ty(), first, bytes), message.high);
}

void Question::ask_of(IRBuilder<>& builder, const Message& message) {
  const int flags = access_kept | (message.received ? access_writes : 0) | (message.is_met ? access_met : 0);
  if (message.noted) {
    const char* name = message.type < 0 ? "lapwing_interior_keep" : "lapwing_interior_keep_layout";
    builder.CreateCall(runtime_function(*at_->getModule(), name, builder.getVoidTy(),
                                        {builder.getPtrTy(), builder.getInt32Ty()}),
                       {message.noted, builder.getInt32(flags)});
    return;
  }
  for (const auto& [slot, flag] :
       {std::pair(message.low, access_from), std::pair(message.high, access_message)})
    call_access(builder, {builder.CreateLoad(builder.getPtrTy(), slot), builder.getInt64(0),
                          builder.getInt32(flags | flag)});
}

void Question::look_up() {
  for (const auto& all : {llvm::ArrayRef(kept_.footprints), llvm::ArrayRef(nest_.footprints)})
    for (const Footprint& one : all)
      if (one.writes && lookups_.may_meet(one)) met_.insert(&one);
  for (const Footprint* one : survey_.footprints())
    if (one->writes && lookups_.may_meet(*one)) met_.insert(one);
}

int Question::met_by_lookups(const Footprint& footprint) const {
  return met_.contains(&footprint) ? access_met : 0;
}

// Of the largest message that is in flight.
Value* Question::bytes_in_flight(IRBuilder<>& builder) {
  Value* most = builder.getInt64(0);
  for (const Message& message : messages_) {
    if (message.noted) {
      Value* largest = builder.CreateLoad(builder.getInt64Ty(), message.noted);
      most = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, most, largest);
      continue;
    }
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
  Value* back_edges = expand_number(nest_.back_edges, expander_, at_);
  llvm::SmallVector<Value*, 2> edges_inside;
  for (const Inside& one : nest_.inside)
    edges_inside.push_back(expand_number(one.back_edges, expander_, at_));
  for (Message& message : messages_) note(message);
  IRBuilder<> before(at_);
  before.SetCurrentDebugLocation(nest_.loop->getStartLoc());
  const auto rounds_of = [&](Value* edges) {
    return before.CreateAdd(edges, before.getInt64(1), "lapwing.rounds");
  };
  Value* all = rounds_of(back_edges);
  llvm::SmallVector<Value*, 2> rounds_inside;
  for (Value* edges : edges_inside) rounds_inside.push_back(rounds_of(edges));
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
  for (Value* edges : edges_inside)
    builder.CreateCall(runtime_function(module, "lapwing_interior_inside", builder.getVoidTy(), {number64}),
                       {edges});
  for (const Message& message : messages_)
    if (!message.received || !has(Planted::interior)) ask_of(builder, message);
  const auto say = [&](const Footprint& one, int flags, std::size_t inside = 0) {
    emit_access(one, flags, expander_, at_, inside);
  };
  for (const Footprint& one : kept_.footprints) say(one, access_kept | met_by_lookups(one));
  for (const Footprint& one : kept_.numbers) say(one, access_number);
  for (const Footprint& one : nest_.footprints) say(one, met_by_lookups(one), nest_.inside.size());
  for (const Footprint& one : nest_.numbers) say(one, access_number);
  if (!survey_.empty())
    survey_.emit(
        *at_, [&](const Footprint& one) { return met_by_lookups(one); }, trees);
  builder.SetInsertPoint(at_);
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
  Answer made{begin, end, all, {}, {}};
  for (std::size_t inside = 0; inside < rounds_inside.size(); ++inside) {
    Value* side = builder.CreateCall(
        runtime_function(module, "lapwing_interior_end_inside", rounds, {builder.getInt32Ty()}),
        {builder.getInt32(static_cast<std::uint32_t>(inside) + 1)});
    made.inside.push_back({or_zero(builder.CreateExtractValue(side, 0), "lapwing.begin"),
                           or_zero(builder.CreateExtractValue(side, 1), "lapwing.end"),
                           rounds_inside[inside]});
  }
  const auto add_range = [&](std::uint32_t which, llvm::SmallVectorImpl<Value*>& ranges) {
    Value* range = builder.CreateCall(
        runtime_function(module, "lapwing_interior_avoided", rounds, {builder.getInt32Ty()}),
        {builder.getInt32(which)});
    for (unsigned index : {0U, 1U})
      ranges.push_back(or_zero(builder.CreateExtractValue(range, index), "lapwing.avoided"));
  };
  const auto is_met = [&](const Footprint& one) { return met_.contains(&one); };
  // One that stands for several counts twice.
  const auto surveyed = survey_.footprints();
  const auto kept_met =
      llvm::count_if(messages_, [](const Message& one) { return one.is_met; }) +
      llvm::count_if(messages_, [](const Message& one) { return one.is_met && !one.is_last; }) +
      llvm::count_if(kept_.footprints, is_met) +
      2 * llvm::count_if(surveyed, [&](const Footprint* one) { return is_met(*one); });
  if (kept_met > 0) add_range(0, made.avoided.kept);
  if (kept_met > 1) add_range(1, made.avoided.kept);
  if (llvm::any_of(nest_.footprints, is_met)) add_range(2, made.avoided.own);
  slots_.promote();
  return made;
}

}  // namespace lapwing::compiler
