// SPDX-License-Identifier: Apache-2.0
// A loop nest as far as dividing it goes: the memory that its outermost loop touches in each of its rounds,
// as affine ranges (scalar evolution). Whether rounds are independent, and which of them touch
// a message, is decided from these ranges at run time (transfer/compiled/interior_range.hpp).
#pragma once

#include <llvm/Analysis/TargetLibraryInfo.h>

#include <optional>
#include <string>

#include "compiler/interior/accesses.hpp"
#include "compiler/interior/sums.hpp"

namespace lapwing::compiler {

/// A load from an address that is only found in the round itself, as in an index list. A round that comes by
/// it upon what is in flight is put aside.
struct Lookup {
  llvm::LoadInst* load;
  /// Asked about as a whole before this loop inside, where its addresses are known by then; else null.
  llvm::Loop* within = nullptr;
  const llvm::SCEV *first = nullptr, *last = nullptr;  ///< then: where it reads in its first and last round

  const llvm::Instruction& asked() const {
    return within ? *within->getLoopPreheader()->getTerminator() : *llvm::cast<llvm::Instruction>(load);
  }
};

/// A loop inside that may be divided as well, since each of its rounds is as independent of the others: all
/// that is written is written in its rounds, and it runs equally often in each round of the loop around it.
struct Inside {
  llvm::Loop* loop;
  const llvm::SCEV* back_edges;  ///< rounds, less one
};

struct Nest {
  llvm::Loop* loop = nullptr;
  const llvm::SCEV* back_edges = nullptr;  ///< rounds of the loop, less one
  llvm::SmallVector<Inside, 2> inside;     ///< from the outermost one inwards
  llvm::SmallVector<Footprint, 12> footprints;
  llvm::SmallVector<Footprint, 8> numbers;  ///< see Accesses
  llvm::SmallVector<Lookup, 4> lookups;
  Sums sums;
};

struct NestFound {
  std::optional<Nest> nest;
  std::string failure;                       ///< why the loop is not divided
  bool is_final = true;                      ///< also where more values were known
  const llvm::Instruction* where = nullptr;  ///< what `failure` speaks of
};

/// The loops inside of a loop, as long as each is the only one of the loop around it; two at most.
llvm::SmallVector<llvm::Loop*, 2> only_loops_inside(const llvm::Loop& loop);

/// Whether a loop writes what it computes, and does not only move numbers. Unpacking needs all that came, and
/// has little to do meanwhile.
bool computes(const llvm::Loop& loop);

/// A nest can be divided if each of its rounds gives the same values whatever came before it: nothing but
/// counters, and sums that nothing else in it needs, goes from round to round in a register, the number of
/// rounds is known where it is asked about (at the end of `asked`), and every access is affine but loads that
/// a round makes before it writes anything.
NestFound describe_nest(llvm::Loop& loop, const llvm::LoopInfo& loops, const llvm::BasicBlock& asked,
                        llvm::ScalarEvolution& scev, const llvm::TargetLibraryInfo& library);

}  // namespace lapwing::compiler
