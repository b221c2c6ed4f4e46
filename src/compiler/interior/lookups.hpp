// SPDX-License-Identifier: Apache-2.0
// Rounds that read by addresses which only they find, as in an index list. In the copy of the loop that runs
// early each such address is held against what is kept, and a round that comes upon it is put aside: it goes
// on with another number in place of the one that it must not read, looks up all the others, and writes
// nothing. So it is known that it reads nothing that the loop writes: a round that does is the end of the
// early ones, since those behind it may write what it has still to read.
#pragma once

#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "compiler/interior/nest.hpp"
#include "compiler/waits/dependence_web.hpp"

namespace lapwing::compiler {

/// Ranges of addresses, as numbers: begin and end of each in turn.
struct Avoided {
  llvm::SmallVector<llvm::Value*, 4> kept;  ///< in flight, or touched by what stands before the loop
  llvm::SmallVector<llvm::Value*, 2> own;   ///< written by the loop
};

/// A copy of the loop that runs early.
struct EarlyCopy {
  const llvm::ValueToValueMapTy& of_loop;
  llvm::BasicBlock *enter, *header;
  llvm::BasicBlock *aside, *stop;  ///< where a round goes that is put aside, or is the end
  llvm::SmallVectorImpl<llvm::BasicBlock*>& blocks;
};

class Lookups {
 public:
  Lookups(llvm::ArrayRef<Lookup> all, Memory& memory, EffectsOf& effects)
      : all_(all), memory_(memory), effects_(effects) {}

  bool meet_anything() const { return !meeting_.empty(); }
  /// Whether one of them may read what another instruction writes, or a message that comes; notes which.
  bool may_meet(const Footprint& written);
  bool may_meet(const InFlight& received);

  /// Values by which they are asked about, in the loop, or at the end of `early`: copies of the loop that run
  /// there have them, too. False where that cannot be.
  bool prepare(const llvm::Loop& loop, llvm::BasicBlock& early, llvm::ScalarEvolution& scev,
               const llvm::DominatorTree& dominators);
  /// The addresses that are asked about.
  llvm::SmallVector<llvm::Value*, 8> addresses() const;
  void ask(const EarlyCopy& copy, const Avoided& avoided) const;

 private:
  struct Asked {
    llvm::LoadInst* load;
    llvm::Instruction* at;
    llvm::Value *first, *last;  // the same, or where a loop inside reads in its first and last round
    std::uint64_t bytes;        // from either on
    bool goes_on;               // the round may go on with any number in its place
  };
  class Asker;

  llvm::ArrayRef<Lookup> all_;
  Memory& memory_;
  EffectsOf& effects_;
  llvm::SmallPtrSet<const llvm::LoadInst*, 4> meeting_;
  llvm::SmallVector<Asked, 4> asked_;
};

}  // namespace lapwing::compiler
