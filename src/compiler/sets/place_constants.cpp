// SPDX-License-Identifier: Apache-2.0
#include "compiler/sets/place_constants.hpp"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>

namespace lapwing::compiler {
namespace {

using llvm::Constant;
using llvm::ConstantInt;
using llvm::ConstantStruct;

// The first instruction from here on of which the line is known.
const llvm::DILocation* location_of(const llvm::Instruction* instruction) {
  for (; instruction; instruction = instruction->getNextNode())
    if (instruction->getDebugLoc() && instruction->getDebugLoc().getLine()) return instruction->getDebugLoc();
  return nullptr;
}

}  // namespace

std::string author_name(const llvm::Function& function) {
  if (const llvm::DISubprogram* program = function.getSubprogram(); program && !program->getName().empty()) {
    if (!program->getName().starts_with("_Q")) return program->getName().str();
  }
  llvm::StringRef name = function.getName();
  if (name == "_QQmain") return "main program";
  if (name.starts_with("_Q")) {
    // The procedure is what follows the last P.
    const std::size_t last = name.rfind('P');
    if (last != llvm::StringRef::npos) return name.drop_front(last + 1).str();
  }
  const std::string plain = llvm::demangle(name.str());
  return plain.substr(0, plain.find('('));
}

SetPlaces::SetPlaces(llvm::Module& module) : module_(module) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  auto* integer = llvm::Type::getInt32Ty(context);
  place_ = llvm::StructType::get(context, {pointer, pointer, integer});
  merge_site_ = llvm::StructType::get(context, llvm::ArrayRef<llvm::Type*>(place_));
  split_merge_ = llvm::StructType::get(context, {pointer, pointer});
  split_site_ = llvm::StructType::get(context, {place_, integer, integer, pointer, pointer});
  pointer_site_ = llvm::StructType::get(context, {split_site_, pointer, integer, integer, integer});
  target_ = llvm::StructType::get(context, {pointer, pointer, integer, integer});
  call_site_ = llvm::StructType::get(context, {place_, pointer, integer});
}

Constant* SetPlaces::global(Constant* value, const llvm::Twine& name) {
  return new llvm::GlobalVariable(module_, value->getType(), true, llvm::GlobalValue::PrivateLinkage, value,
                                  name);
}

Constant* SetPlaces::text(llvm::StringRef words) {
  Constant*& known = texts_[words];
  if (!known) known = global(llvm::ConstantDataArray::getString(module_.getContext(), words), "lapwing.text");
  return known;
}

Constant* SetPlaces::place(const llvm::Instruction* instruction, const llvm::Function& function) {
  const llvm::DILocation* location = location_of(instruction);
  const std::string file = location ? location->getFilename().str() : module_.getSourceFileName();
  // Code of another function that was inlined belongs to its author's place.
  std::string name = author_name(function);
  if (location && location->getScope()->getSubprogram() && location->getInlinedAt())
    name = location->getScope()->getSubprogram()->getName().str();
  auto* line =
      ConstantInt::get(llvm::Type::getInt32Ty(module_.getContext()), location ? location->getLine() : 0);
  return ConstantStruct::get(place_, {text(file), text(name), line});
}

// Its address is its identity, so it is not merged with equal ones.
Constant* SetPlaces::merge_site(const llvm::BasicBlock* block) {
  Constant*& known = merges_[block];
  if (!known)
    known = global(ConstantStruct::get(merge_site_, {place(&block->front(), *block->getParent())}),
                   "lapwing.merge");
  return known;
}

Constant* SetPlaces::split_site(const Split& split) {
  llvm::LLVMContext& context = module_.getContext();
  auto* integer = llvm::Type::getInt32Ty(context);
  const std::size_t words = (split.branches.size() + 63) / 64;
  std::vector<Constant*> merges;
  for (const Meeting& meeting : split.meetings) {
    std::vector<std::uint64_t> bits(words, 0);
    for (unsigned branch : meeting.branches) bits[branch / 64] |= std::uint64_t{1} << (branch % 64);
    Constant* set = global(llvm::ConstantDataArray::get(context, bits), "lapwing.branches");
    Constant* site = meeting.at ? merge_site(meeting.at)
                                : llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
    merges.push_back(ConstantStruct::get(split_merge_, {site, set}));
  }
  auto* type = llvm::ArrayType::get(split_merge_, merges.size());
  Constant* list = global(llvm::ConstantArray::get(type, merges), "lapwing.merges");
  std::vector<std::uint32_t> lines;
  for (const llvm::BasicBlock* block : split.branches) {
    const llvm::DILocation* location = location_of(&block->front());
    lines.push_back(location ? location->getLine() : 0);
  }
  Constant* ways = global(llvm::ConstantDataArray::get(context, lines), "lapwing.ways");
  return global(ConstantStruct::get(split_site_, {place(split.branch, *split.branch->getFunction()),
                                                  ConstantInt::get(integer, split.branches.size()),
                                                  ConstantInt::get(integer, merges.size()), list, ways}),
                "lapwing.split");
}

// The library writes to it what it has found out.
Constant* SetPlaces::pointer_site(const PointerCall& call) {
  llvm::LLVMContext& context = module_.getContext();
  auto* integer = llvm::Type::getInt32Ty(context);
  auto* none = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
  auto* zero = ConstantInt::get(integer, 0);
  // As many branches as there may be functions.
  Constant* split = ConstantStruct::get(split_site_, {place(call.call, *call.call->getFunction()),
                                                      ConstantInt::get(integer, 1u << 30), zero, none, none});
  Constant* site = ConstantStruct::get(
      pointer_site_, {split, text(call.arguments), ConstantInt::getSigned(integer, call.slot), zero, zero});
  return new llvm::GlobalVariable(module_, site->getType(), false, llvm::GlobalValue::PrivateLinkage, site,
                                  "lapwing.pointer");
}

Constant* SetPlaces::targets(const std::vector<Target>& targets) {
  auto* integer = llvm::Type::getInt32Ty(module_.getContext());
  std::vector<Constant*> list;
  for (const Target& target : targets) {
    list.push_back(ConstantStruct::get(
        target_, {target.function, text(target.arguments), ConstantInt::getSigned(integer, target.slot),
                  ConstantInt::get(integer, static_cast<unsigned>(target.flags))}));
  }
  return global(llvm::ConstantArray::get(llvm::ArrayType::get(target_, list.size()), list),
                "lapwing.targets");
}

Constant* SetPlaces::call_site(const GroupCall& call, bool has_sibling) {
  auto* integer = llvm::Type::getInt32Ty(module_.getContext());
  const int flags = (call.is_fortran() ? 1 : 0) | (has_sibling ? 2 : 0);
  return global(ConstantStruct::get(call_site_, {place(&call.call(), *call.call().getFunction()),
                                                 text(call.name()), ConstantInt::get(integer, flags)}),
                "lapwing.call");
}

}  // namespace lapwing::compiler
