// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/remembering.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <limits>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/alias/loaded_value.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/llvm_versions.hpp"
#include "compiler/planted.hpp"

namespace lapwing::compiler {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr std::size_t most_lists = 8, most_numbers = 24, most_writes = 16;
constexpr unsigned word_of_name = 8;  // of lapwing_left (lapwing/compiled.h)

using Blocks = llvm::SmallPtrSet<const BasicBlock*, 32>;

template <class Next>
Blocks found_from(const BasicBlock& from, const BasicBlock* without, Next next) {
  Blocks seen;
  llvm::SmallVector<const BasicBlock*, 32> work{&from};
  while (!work.empty()) {
    for (const BasicBlock* block : next(work.pop_back_val()))
      if (block != without && seen.insert(block).second) work.push_back(block);
  }
  return seen;
}

// The blocks that are come to between this one and itself.
Blocks around(const BasicBlock& block) {
  const Blocks below = found_from(block, nullptr, [](const BasicBlock* b) { return llvm::successors(b); });
  Blocks both;
  for (const BasicBlock* one :
       found_from(block, nullptr, [](const BasicBlock* b) { return llvm::predecessors(b); }))
    if (below.contains(one)) both.insert(one);
  return both;
}

bool comes_again_without(const BasicBlock& block, const BasicBlock& without) {
  return &block != &without && found_from(block, &without, [](const BasicBlock* b) {
                                 return llvm::successors(b);
                               }).contains(&block);
}

// The numbers in a list may change from one round of a loop to the next: scopes of aliases, which hold in
// one, say nothing here, and of types only those that do not stand for one variable of an inlined procedure.
llvm::MemoryLocation list_of(const llvm::LoadInst& load) {
  llvm::AAMDNodes tags;
  tags.TBAA = own_type(load);
  return llvm::MemoryLocation::getBeforeOrAfter(load.getPointerOperand(), tags);
}

bool may_write(const Instruction& i, const llvm::LoadInst& list, Analyses& a) {
  const llvm::MemoryLocation where = list_of(list);
  const auto* given = llvm::dyn_cast<llvm::CallBase>(&i);
  if (given && gives_back(*given))
    return a.memory.may_alias(llvm::MemoryLocation::getBeforeOrAfter(given->getArgOperand(0)), where);
  // Such memory was never read before, or has been given back, which counts as a write.
  if (given && gives_new(*given)) return false;
  return llvm::isModSet(a.memory.meet(i, effects_on(list, i, a.effects), where));
}

// Its writes may come later than it is called.
bool brings_something(const Instruction& i) {
  const auto call = MpiCall::of(i);
  return call && call->kind() != Kind::outside;
}

}  // namespace

std::optional<Remembering> Remembering::of(const llvm::Loop& loop, llvm::ArrayRef<Value*> addresses,
                                           BasicBlock& early, Analyses analyses, std::string& why,
                                           const Instruction*& where) {
  Remembering made(*early.getParent());
  if (!made.add_slice(loop, addresses, why) || !made.add_writes(loop, early, analyses, why, where)) return {};
  return made;
}

// Backwards from the addresses, and from all that decides which way a round takes.
bool Remembering::add_slice(const llvm::Loop& loop, llvm::ArrayRef<Value*> addresses, std::string& why) {
  llvm::SmallVector<Value*, 32> work(addresses);
  for (BasicBlock* block : loop.blocks()) {
    Instruction* end = block->getTerminator();
    if (block != loop.getLoopLatch() && end->getNumSuccessors() > 1) work.push_back(end->getOperand(0));
  }
  llvm::SmallPtrSet<const Value*, 32> seen;
  while (!work.empty()) {
    Value* value = work.pop_back_val();
    if (llvm::isa<llvm::Constant>(value) || llvm::isa<BasicBlock>(value) || !seen.insert(value).second)
      continue;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction || !loop.contains(instruction)) {
      llvm::Type* type = value->getType();
      const bool is_number = type->isPointerTy() || (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
      if (!is_number) return why = "they follow from something that is no number", false;
      numbers_.insert(value);
      continue;
    }
    const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
    if (phi && phi->getParent() == loop.getHeader()) {
      counters_.insert(phi);
      continue;
    }
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) lists_.push_back(load);
    const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
    if (call)
      work.append(call->arg_begin(), call->arg_end());
    else
      work.append(instruction->op_begin(), instruction->op_end());
  }
  if (lists_.size() > most_lists || numbers_.size() > most_numbers)
    return why = "there are many of them", false;
  return true;
}

bool Remembering::add_writes(const llvm::Loop& loop, BasicBlock& early, Analyses& a, std::string& why,
                             const Instruction*& where) {
  const Blocks all = around(early);
  if (!all.contains(&early)) return why = "no loop of its function comes to it again", false;
  for (BasicBlock& block : *early.getParent()) {
    if (!all.contains(&block)) continue;
    for (Instruction& i : block) {
      const auto writes = [&](const llvm::LoadInst* list) { return may_write(i, *list, a); };
      if (!i.mayWriteToMemory() || llvm::none_of(lists_, writes)) continue;
      where = &i;
      if (loop.contains(&i)) return why = "the loop may write to them", false;
      if (brings_something(i)) return why = "a message may change them", false;
      const llvm::Loop* around_it = nullptr;
      for (const llvm::Loop* l = a.loops.getLoopFor(&block); l && !l->contains(&early);
           l = l->getParentLoop())
        around_it = l;
      if (!around_it && writes_.size() < most_writes) {
        IRBuilder<> builder(&i);
        if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i);
            store && store->isSimple() && !has_scalable_length(*store->getValueOperand()->getType())) {
          const auto bytes =
              layout_of(*early.getParent()).getTypeStoreSize(store->getValueOperand()->getType());
          writes_.push_back({&i, store->getPointerOperand(), builder.getInt64(bytes.getFixedValue())});
          continue;
        }
        if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i); memory && !memory->isVolatile()) {
          writes_.push_back({&i, memory->getRawDest(), memory->getLength()});
          continue;
        }
      }
      Instruction* at = &i;
      if (around_it && around_it->getLoopPreheader()) at = around_it->getLoopPreheader()->getTerminator();
      if (!comes_again_without(early, *at->getParent())) return why = "they may be changed each time", false;
      forgets_.insert(at);
    }
  }
  where = nullptr;
  return true;
}

void Remembering::let_forget(llvm::AllocaInst& left) {
  left_ = &left;
  auto* number = llvm::Type::getInt64Ty(left.getContext());
  const auto forget = [&](IRBuilder<>& builder) {
    builder.CreateStore(builder.getInt64(0),
                        builder.CreateConstInBoundsGEP2_32(left.getAllocatedType(), &left, 0, word_of_name));
  };
  IRBuilder<> begin(left.getNextNode());
  forget(begin);
  if (has(Planted::lists)) return;
  for (Instruction* at : forgets_) {
    IRBuilder<> builder(at);
    forget(builder);
  }
  for (const Write& write : writes_) {
    IRBuilder<> builder(write.at);
    builder.SetCurrentDebugLocation(write.at->getDebugLoc());
    builder.CreateCall(runtime_function(*left.getModule(), "lapwing_interior_written", builder.getVoidTy(),
                                        {left.getType(), left.getType(), number}),
                       {&left, write.first, builder.CreateZExtOrTrunc(write.bytes, number)});
  }
}

Value* Remembering::recall(IRBuilder<>& builder, llvm::ArrayRef<Value*> numbers) {
  llvm::SmallVector<Value*, 24> all(numbers);
  all.append(numbers_.begin(), numbers_.end());
  auto* number = builder.getInt64Ty();
  auto* type = llvm::ArrayType::get(number, all.size());
  said_ = scratch(*left_->getFunction(), type, "lapwing.numbers");
  said_count_ = static_cast<unsigned>(all.size());
  for (unsigned i = 0; i < said_count_; ++i) {
    Value* one = builder.CreateFreeze(all[i]);
    one =
        one->getType()->isPointerTy() ? builder.CreatePtrToInt(one, number) : builder.CreateZExt(one, number);
    builder.CreateStore(one, builder.CreateConstInBoundsGEP2_32(type, said_, 0, i));
  }
  auto* pointer = left_->getType();
  Value* known = builder.CreateCall(runtime_function(*left_->getModule(), "lapwing_interior_recall",
                                                     builder.getInt32Ty(), {pointer, pointer, number}),
                                    {left_, said_, builder.getInt64(said_count_)});
  return builder.CreateIsNotNull(known);
}

void Remembering::watch(const llvm::ValueToValueMapTy& copy, BasicBlock& enter) {
  IRBuilder<> before(enter.getTerminator());
  auto* number = before.getInt64Ty();
  const llvm::DataLayout& layout = layout_of(*enter.getParent());
  for (llvm::LoadInst* list : lists_) {
    auto* load = llvm::cast<llvm::LoadInst>(copy.lookup(list));
    llvm::Constant* none = before.getInt64(std::numeric_limits<std::int64_t>::max());
    llvm::AllocaInst* from = slots_.make(number, none, "lapwing.from");
    llvm::AllocaInst* to = slots_.make(number, before.getInt64(0), "lapwing.to");
    before.CreateStore(none, from);
    before.CreateStore(before.getInt64(0), to);
    IRBuilder<> builder(load);
    Value* at = builder.CreatePtrToInt(load->getPointerOperand(), number);
    Value* behind =
        builder.CreateAdd(at, builder.getInt64(layout.getTypeStoreSize(load->getType()).getFixedValue()));
    Value *lowest = builder.CreateLoad(number, from), *highest = builder.CreateLoad(number, to);
    builder.CreateStore(builder.CreateSelect(builder.CreateICmpULT(at, lowest), at, lowest), from);
    builder.CreateStore(builder.CreateSelect(builder.CreateICmpUGT(behind, highest), behind, highest), to);
    read_.emplace_back(from, to);
  }
}

void Remembering::remember(IRBuilder<>& builder) {
  auto* number = builder.getInt64Ty();
  auto* pointer = left_->getType();
  auto* type = llvm::ArrayType::get(number, 2 * read_.size());
  llvm::AllocaInst* lists = scratch(*left_->getFunction(), type, "lapwing.lists");
  unsigned index = 0;
  for (const auto& [from, to] : read_)
    for (llvm::AllocaInst* one : {from, to})
      builder.CreateStore(builder.CreateLoad(number, one),
                          builder.CreateConstInBoundsGEP2_32(type, lists, 0, index++));
  builder.CreateCall(runtime_function(*left_->getModule(), "lapwing_interior_remember", builder.getVoidTy(),
                                      {pointer, pointer, number, pointer, number}),
                     {left_, said_, builder.getInt64(said_count_), lists, builder.getInt64(read_.size())});
}

}  // namespace lapwing::compiler
