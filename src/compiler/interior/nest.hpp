// SPDX-License-Identifier: Apache-2.0
// A loop nest as far as dividing it goes: the memory that its outermost loop touches in each of its rounds,
// as affine ranges (scalar evolution). Whether rounds are independent, and which of them touch
// a message, is decided from these ranges at run time (transfer/compiled/interior_range.hpp).
#pragma once

#include <optional>
#include <string>

#include "compiler/interior/accesses.hpp"

namespace lapwing::compiler {

struct Nest {
  llvm::Loop* loop = nullptr;
  const llvm::SCEV* back_edges = nullptr;  ///< rounds of the loop, less one
  llvm::SmallVector<Footprint, 12> footprints;
  llvm::SmallVector<Footprint, 8> numbers;  ///< see Accesses
};

struct NestFound {
  std::optional<Nest> nest;
  std::string failure;                       ///< why the loop is not divided
  bool is_final = true;                      ///< also where more values were known
  const llvm::Instruction* where = nullptr;  ///< what `failure` speaks of
};

/// A nest can be divided if each of its rounds gives the same values whatever came before it: nothing but
/// counters goes from round to round in a register, the number of rounds is known where it is asked about (at
/// the end of `asked`), and every access is affine.
NestFound describe_nest(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::BasicBlock& asked,
                        llvm::ScalarEvolution& scev);

}  // namespace lapwing::compiler
