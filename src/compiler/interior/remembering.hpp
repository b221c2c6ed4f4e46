// SPDX-License-Identifier: Apache-2.0
// Which rounds are put aside (lookups.hpp) is remembered where the loop is come to again: its rounds then run
// as they were written, and look nothing up that they do not need.
//
// That a round is put aside follows from numbers that are known before the loop, and from what it reads on
// its way to the addresses that are asked about: its lists. It is the same as before where the numbers are,
// and nothing has written to the lists since. LLVM keeps loaded values for that reason; here it need not hold
// on all ways: wherever something may write to them, it is said that what is remembered does not hold any
// more, or, of a store, asked whether it does.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <optional>
#include <string>

#include "compiler/interior/way.hpp"
#include "compiler/waits/emit.hpp"

namespace lapwing::compiler {

class Remembering {
 public:
  /// Of a loop of which a copy runs at the end of `early`, and asks about `addresses`. None where nothing
  /// comes to it again in this function with the same lists; `why`, and `where`, say so.
  static std::optional<Remembering> of(const llvm::Loop& loop, llvm::ArrayRef<llvm::Value*> addresses,
                                       llvm::BasicBlock& early, Analyses analyses, std::string& why,
                                       const llvm::Instruction*& where);

  /// Counters of the loop that the answer follows from: with what they begin is one of the numbers.
  bool follows_from(const llvm::PHINode& counter) const { return counters_.contains(&counter); }

  /// Makes that what is remembered is forgotten in time. `left`: a lapwing_left.
  void let_forget(llvm::AllocaInst& left);
  /// Whether it is known which rounds are put aside. `numbers`: what it follows from besides.
  llvm::Value* recall(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> numbers);
  /// Notes what a copy of the loop reads of the lists; `enter` comes before its first round.
  void watch(const llvm::ValueToValueMapTy& copy, llvm::BasicBlock& enter);
  /// Behind the last round of that copy.
  void remember(llvm::IRBuilder<>& builder);
  /// When the function is whole again.
  void finish() { slots_.promote(); }

 private:
  struct Write {
    llvm::Instruction* at;
    llvm::Value *first, *bytes;
  };

  explicit Remembering(llvm::Function& function) : slots_(function) {}
  bool add_slice(const llvm::Loop& loop, llvm::ArrayRef<llvm::Value*> addresses, std::string& why);
  bool add_writes(const llvm::Loop& loop, llvm::BasicBlock& early, Analyses& analyses, std::string& why,
                  const llvm::Instruction*& where);

  Slots slots_;
  llvm::SmallVector<llvm::LoadInst*, 8> lists_;
  llvm::SmallSetVector<llvm::Value*, 8> numbers_;
  llvm::SmallPtrSet<const llvm::PHINode*, 4> counters_;
  llvm::SmallSetVector<llvm::Instruction*, 8> forgets_;  // before these
  llvm::SmallVector<Write, 4> writes_;
  llvm::AllocaInst *left_ = nullptr, *said_ = nullptr;
  unsigned said_count_ = 0;
  llvm::SmallVector<std::pair<llvm::AllocaInst*, llvm::AllocaInst*>, 8> read_;  // of the lists, from and to
};

}  // namespace lapwing::compiler
