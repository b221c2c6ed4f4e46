// SPDX-License-Identifier: Apache-2.0
// A question whose answer is known where a wait stands, and that was decided where several ways meet.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Dominators.h>

#include <optional>

namespace lapwing::compiler {

/// Two questions in a row on one condition become one in LLVM, and two again where rounds of a loop run
/// between them (interior/join_ways.hpp). The second one asks for a value that is constant on some of the
/// ways that meet at `join`.
struct KnownQuestion {
  const llvm::BasicBlock* join = nullptr;
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4>
      from;  ///< by which of its predecessors the place can be reached

  /// Of all questions that are answered above `place`, on every way to it, the nearest one of this kind:
  /// a walk up from there that comes to `join` for the first time goes on to one of `from` only.
  static std::optional<KnownQuestion> above(const llvm::BasicBlock& place,
                                            const llvm::DominatorTree& dominators);
  /// Whether a function has any; cheap.
  static bool may_be_in(const llvm::Function& function);
};

/// The same condition is often asked again: `if (n > 0) start all` and, further down, `if (n > 0) wait for
/// all`.
struct AskedBefore {
  const llvm::BasicBlock* first = nullptr;  ///< of those that ask, the one above all others
  llvm::SmallDenseMap<const llvm::BasicBlock*, const llvm::BasicBlock*, 4>
      next;  ///< where each of them goes on

  /// Of the conditions that are known at `place`, on every way to it, the nearest one that was asked before:
  /// a walk up from there leaves each of the blocks that asked by the one side only, until it has passed
  /// `first`.
  static std::optional<AskedBefore> above(const llvm::BasicBlock& place,
                                          const llvm::DominatorTree& dominators);
};

}  // namespace lapwing::compiler
