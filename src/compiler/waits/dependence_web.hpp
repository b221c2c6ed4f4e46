// SPDX-License-Identifier: Apache-2.0
// The dependence web (Das 3.1): which instructions stop a
// wait, and why.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <optional>
#include <string>

#include "compiler/alias/memory.hpp"
#include "compiler/effects/effects.hpp"
#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

/// Why an instruction stops a wait, as a remark says it.
struct Reason {
  std::string text;
};

/// Whether a pointer is one address: the same value in another round of a loop may be another.
bool is_same_in_all_rounds(const llvm::Value* pointer);

/// Whether this holds of an instruction on any way from one instruction to another; ways through the block
/// `gate`, if there is one, are none of them.
bool any_between(const llvm::Instruction& from, const llvm::Instruction& to,
                 llvm::function_ref<bool(const llvm::Instruction&)> holds,
                 const llvm::BasicBlock* gate = nullptr);

class Web {
 public:
  Web(const Transfer& transfer, Memory& memory, EffectsOf& effects)
      : transfer_(transfer), memory_(memory), effects_(effects) {}

  /// Empty if the wait may cross the instruction.
  const std::optional<Reason>& stops(const llvm::Instruction& instruction);

  /// Whether a terminator never goes to `next` while the transfer is outstanding.
  bool never_goes(const llvm::Instruction& terminator, const llvm::BasicBlock& next) const;

 private:
  std::optional<Reason> find(const llvm::Instruction& instruction);

  const Transfer& transfer_;
  Memory& memory_;
  EffectsOf& effects_;
  llvm::DenseMap<const llvm::Instruction*, std::optional<Reason>> known_;
};

/// Whether what is written to `where` by `from` may be read before it is
/// overwritten. `at_exit`: whether the end of the function counts as a reader
/// of memory that outlives it.
bool is_read_after(const llvm::Instruction& from, const llvm::MemoryLocation& where, bool at_exit,
                   Memory& memory, EffectsOf& effects);

}  // namespace lapwing::compiler
