// SPDX-License-Identifier: Apache-2.0
// How instructions meet the memory of declarations that have not happened yet.
#pragma once

#include <optional>
#include <vector>

#include "compiler/effects/effects.hpp"
#include "compiler/waits/dependence_web.hpp"

namespace lapwing::compiler {

/// Memory that an instruction touches, as far as it can be named where it stands.
struct Extent {
  const llvm::Value* pointer;
  std::uint64_t bytes;
};

/// One way in which an instruction may touch what a buffer leads to.
struct Meet {
  llvm::ModRefInfo info;
  std::optional<Extent> extent;  ///< exactly; else anything
};

class DeclaredTouch {
 public:
  DeclaredTouch(Memory& memory, EffectsOf& effects, const llvm::DataLayout& layout)
      : memory_(memory), effects_(effects), layout_(layout) {}

  /// The accesses of an instruction, when control is there, to memory reached from
  /// `buffer`: anything for a call about which nothing is known, unless that
  /// memory is this function's own.
  std::vector<Meet> operator()(const llvm::Instruction& instruction, const llvm::Value* buffer);

  /// Whether control may leave the function here, with an exception.
  bool may_leave(const llvm::Instruction& instruction);
  /// Whether there is nothing but computing: a wait may stand before it instead.
  bool only_computes(const llvm::Instruction& instruction);

 private:
  std::optional<Extent> extent_of(const llvm::Value* pointer, llvm::LocationSize size) const;

  Memory& memory_;
  EffectsOf& effects_;
  const llvm::DataLayout& layout_;
};

}  // namespace lapwing::compiler
