// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/verify.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/remarks.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr const char* noted_start = "lapwing.noted";
constexpr std::size_t most_places_named = 4;

llvm::Constant* constant_text(llvm::Module& module, llvm::StringRef words) {
  auto* value = llvm::ConstantDataArray::getString(module.getContext(), words);
  auto* global = new llvm::GlobalVariable(module, value->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                          value, "lapwing.words");
  global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return global;
}

void note_start_of(llvm::CallBase& start, llvm::StringRef waits) {
  // Several waits may be for one start.
  if (start.getMetadata(noted_start)) return;
  start.setMetadata(noted_start, llvm::MDNode::get(start.getContext(), {}));
  const auto call = MpiCall::of(start);
  const Routine& r = call->routine();
  IRBuilder<> builder(after(start));
  builder.SetCurrentDebugLocation(start.getDebugLoc());
  const bool receives = r.kind == Kind::irecv || r.kind == Kind::recv_init;
  const std::vector<Value*> arguments{verify_site(start, waits, false),
                                      call->argument(r.request),
                                      call->argument(r.buffer),
                                      scalar_argument(*call, r.count, builder),
                                      scalar_argument(*call, r.type, builder),
                                      builder.getInt32(receives)};
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  builder.CreateCall(
      runtime_function(*start.getModule(),
                       call->is_fortran() ? "lapwing_verify_started_" : "lapwing_verify_started",
                       builder.getVoidTy(), types),
      arguments);
}

}  // namespace

llvm::Constant* verify_site(llvm::CallBase& call, llvm::StringRef waits, bool early) {
  llvm::Module& module = *call.getModule();
  auto* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* integer = llvm::Type::getInt32Ty(module.getContext());
  auto* type = llvm::StructType::get(module.getContext(), {pointer, pointer, pointer, integer});
  auto* value = llvm::ConstantStruct::get(
      type, {constant_text(module, MpiCall::of(call)->spelling()), constant_text(module, place_name(call)),
             constant_text(module, waits), llvm::ConstantInt::get(integer, early)});
  return new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::PrivateLinkage, value,
                                  "lapwing.verify_site");
}

std::string places_of(const Placement& placement) {
  llvm::SmallSetVector<llvm::StringRef, 4> places;
  llvm::SmallVector<std::string, 8> names;
  for (const Stop& point : placement.points) names.push_back(place_name(*point.at));
  for (const std::string& name : names)
    if (places.size() < most_places_named) places.insert(name);
  return llvm::join(places, " or ");
}

void announce(llvm::Constant* site, llvm::CallBase& start) {
  IRBuilder<> builder(&start);
  builder.SetCurrentDebugLocation(start.getDebugLoc());
  builder.CreateCall(
      runtime_function(*start.getModule(), "lapwing_verify_next", builder.getVoidTy(), {site->getType()}),
      {site});
}

void note_starts(const Transfer& transfer, llvm::StringRef waits) {
  for (llvm::CallBase* start : transfer.starts) {
    const Kind kind = MpiCall::of(*start)->kind();
    if (kind != Kind::start && kind != Kind::startall) {
      note_start_of(*start, waits);
      continue;
    }
    for (llvm::Instruction& i : llvm::instructions(*start->getFunction())) {
      const auto made = MpiCall::of(i);
      if (made && (made->kind() == Kind::send_init || made->kind() == Kind::recv_init) && after(made->call()))
        note_start_of(made->call(), waits);
    }
  }
}

}  // namespace lapwing::compiler
