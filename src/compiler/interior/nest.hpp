// SPDX-License-Identifier: Apache-2.0
// A loop nest as far as dividing it goes: the memory that its outermost loop touches in each of its rounds,
// as affine ranges (scalar evolution). Whether rounds are independent, and which of them touch
// a message, is decided from these ranges at run time (transfer/compiled/interior_range.hpp).
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include <optional>
#include <string>

namespace lapwing::compiler {

/// One access, or several that lie together: `bytes` from `first` on, moved by each loop around it. All
/// values are the same in all rounds of the nest.
struct Footprint {
  struct Step {
    const llvm::SCEV* by;          ///< bytes, signed
    const llvm::SCEV* back_edges;  ///< rounds of that loop, less one
  };
  const llvm::SCEV* first = nullptr;
  const llvm::SCEV* bytes = nullptr;
  bool writes = false;
  const llvm::SCEV* by = nullptr;  ///< a round of the outermost loop
  llvm::SmallVector<Step, 3> inner;
};

/// The most loops between an access and the outermost one, and the most footprints that a nest may have.
constexpr std::size_t most_inner_loops = 3;
constexpr std::size_t most_footprints = 48;

struct Nest {
  llvm::Loop* loop = nullptr;
  const llvm::SCEV* back_edges = nullptr;  ///< rounds of the loop, less one
  llvm::SmallVector<Footprint, 12> footprints;
};

struct NestFound {
  std::optional<Nest> nest;
  std::string failure;                       ///< why the loop is not divided
  const llvm::Instruction* where = nullptr;  ///< what `failure` speaks of
};

/// A nest can be divided if each of its rounds gives the same values whatever came before it: nothing but
/// counters goes from round to round in a register, the number of rounds is known when the loop begins, and
/// every access is affine.
NestFound describe_nest(llvm::Loop& loop, llvm::ScalarEvolution& scev);

}  // namespace lapwing::compiler
