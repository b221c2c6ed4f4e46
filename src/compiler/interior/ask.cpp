// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/ask.hpp"

#include <llvm/IR/Module.h>

#include "compiler/effects/effects.hpp"
#include "compiler/planted.hpp"
#include "compiler/waits/dependence_web.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

using llvm::IRBuilder;
using llvm::Value;

namespace {

// The bits of lapwing_interior_access (lapwing/compiled.h).
constexpr int writes = 1, kept = 2, message_of_mpi = 4;

// Whether a start, as it ran last, is the one whose request a wait gets: each round uses the same request.
bool is_of_this_round(const MpiCall& start, const MpiCall& wait) {
  return is_same_in_all_rounds(start.argument(start.routine().request)) &&
         is_same_in_all_rounds(wait.argument(wait.routine().any_request()));
}

}  // namespace

bool Question::add(const WaitedCall& waited, std::string& why) {
  const auto call = MpiCall::of(*waited.call);
  if (!dominators_.dominates(waited.call, at_))
    return why = "its call is not made on all ways to the loop", false;
  const std::size_t known = messages_.size();
  const auto fails = [&] {
    messages_.resize(known, Message{});
    return false;
  };
  if (call->kind() == Kind::wait || call->kind() == Kind::waitall) {
    if (waited.starts.size() != waited.buffers) return why = "its starts are not all known here", fails();
    for (llvm::CallBase* start : waited.starts) {
      const auto started = MpiCall::of(*start);
      const Kind kind = started->kind();
      const bool is_plain = kind == Kind::isend || kind == Kind::issend || kind == Kind::irecv;
      if (!is_plain || start->getFunction() != waited.call->getFunction() ||
          !dominators_.dominates(start, at_) || !is_of_this_round(*started, *call))
        return why = "its start is not made on all ways to the loop", fails();
      const Routine& r = started->routine();
      if (!add_message(*started, r.buffer, r.count, r.type, kind == Kind::irecv, why)) return fails();
    }
    return true;
  }
  const Routine& r = call->routine();
  const bool receives = call->kind() == Kind::recv || call->kind() == Kind::sendrecv_replace;
  if (!add_message(*call, r.buffer, r.count, r.type, receives, why)) return fails();
  if (call->kind() == Kind::sendrecv &&
      !add_message(*call, r.receive, r.receive + 1, r.receive + 2, true, why))
    return fails();
  return true;
}

bool Question::add_message(const MpiCall& call, int buffer, int count, int type, bool received,
                           std::string& why) {
  const auto element = basic_size(call, type);
  if (!element) return why = "its datatype is derived, or not known here", false;
  messages_.push_back({&call.call(), buffer, count, *element, received});
  return true;
}

bool Question::can_be_asked() {
  const auto is_safe = [&](const llvm::SCEV* value) { return expander_.isSafeToExpandAt(value, at_); };
  return is_safe(nest_.back_edges) && llvm::all_of(nest_.footprints, [&](const Footprint& footprint) {
           return is_safe(footprint.first) && is_safe(footprint.bytes) && is_safe(footprint.by) &&
                  llvm::all_of(footprint.inner, [&](const Footprint::Step& step) {
                    return is_safe(step.by) && is_safe(step.back_edges);
                  });
         });
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

void Question::ask_of(IRBuilder<>& builder, const Footprint& footprint) {
  llvm::SmallVector<Value*, 10> arguments{number(footprint.first), number(footprint.bytes),
                                          builder.getInt32(footprint.writes ? writes : 0),
                                          number(footprint.by)};
  for (std::size_t i = 0; i < most_inner_loops; ++i) {
    const bool is_there = i < footprint.inner.size();
    arguments.push_back(is_there ? number(footprint.inner[i].by) : builder.getInt64(0));
    arguments.push_back(is_there ? number(footprint.inner[i].back_edges) : builder.getInt64(0));
  }
  call_access(builder, arguments);
}

void Question::ask_of(IRBuilder<>& builder, const Message& message) {
  const auto call = MpiCall::of(*message.call);
  // Fortran's count is a variable, which may change behind the call.
  IRBuilder<> before(message.call);
  Value* count = scalar_argument(*call, message.count, before);
  Value* bytes =
      builder.CreateMul(builder.CreateSExt(count, builder.getInt64Ty()), builder.getInt64(message.element));
  llvm::SmallVector<Value*, 10> arguments{
      call->argument(message.buffer), bytes,
      builder.getInt32(kept | message_of_mpi | (message.received ? writes : 0))};
  while (arguments.size() < 10) arguments.push_back(builder.getInt64(0));
  call_access(builder, arguments);
}

Question::Answer Question::ask() {
  IRBuilder<> builder(at_);
  builder.SetCurrentDebugLocation(nest_.loop->getStartLoc());
  llvm::Module& module = *at_->getModule();
  auto* number64 = builder.getInt64Ty();
  Value* back_edges = number(nest_.back_edges);
  builder.CreateCall(runtime_function(module, "lapwing_interior_begin", builder.getVoidTy(), {number64}),
                     {back_edges});
  for (const Footprint& footprint : nest_.footprints) ask_of(builder, footprint);
  for (const Message& message : messages_)
    if (!message.received || !has(Planted::interior)) ask_of(builder, message);
  auto* rounds = llvm::StructType::get(number64, number64);
  Value* answer = builder.CreateCall(runtime_function(module, "lapwing_interior_end", rounds, {}));
  return {builder.CreateExtractValue(answer, 0, "lapwing.begin"),
          builder.CreateExtractValue(answer, 1, "lapwing.end"),
          builder.CreateAdd(back_edges, builder.getInt64(1), "lapwing.rounds")};
}

}  // namespace lapwing::compiler
