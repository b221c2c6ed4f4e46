// SPDX-License-Identifier: Apache-2.0
// Blocking collectives that can be split: their memory, and which of them this
// program makes in no way but one that the pass sees.
//
// The blocking and the non-blocking form of one collective must never meet. So
// all calls of a kind are given to the run time, or none: where one of them is
// worth a split, that one starts with lapwing_start_bcast and its like, and all
// the others become lapwing_call_bcast, which makes the same call at once. Which
// form it takes is agreed by the whole job as it begins (compiled_collectives.h).
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <bitset>
#include <optional>
#include <string>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

/// Whether an argument is a datatype of floating-point numbers.
bool is_floating(const MpiCall& call, int index);

/// One of a collective's two buffers.
struct Piece {
  enum class Extent { one, many, spread };  ///< a message, one for each member, or with displacements
  int buffer = -1, count = -1, type = -1;   ///< count: -1 where it is an array
  bool written = false;
  Extent extent = Extent::one;
};

struct Collective {
  llvm::StringRef name;  ///< as a Routine's
  int comm;
  llvm::SmallVector<Piece, 2> pieces;
  llvm::SmallVector<int, 4> arrays = {};  ///< of counts and displacements, which MPI reads until the end
  int op = -1;                            ///< of reductions
};

constexpr std::size_t most_collectives = 16;
using CollectiveSet = std::bitset<most_collectives>;

llvm::ArrayRef<Collective> collectives();
/// Which of them a call is, if it is the program's own; an index.
std::optional<std::size_t> collective_of(const MpiCall& call);

/// Whether a reduction is known to give other bits when its order changes. Other
/// operations are looked at at run time.
bool may_change_bits(const MpiCall& call, const Collective& what);

/// "lapwing_start_" and the like, with the name and the language of a call.
std::string collective_name(llvm::StringRef stem, const MpiCall& call);

/// The kinds of which each call in a whole program is a direct one by MPI's own
/// name: neither PMPI_ nor its address is used, and nothing here stands in for it.
CollectiveSet collectives_seen_whole(const llvm::Module& module);

/// Gives all calls of these kinds that are left to the run time.
bool hand_over_collectives(llvm::Module& module, CollectiveSet kinds);

}  // namespace lapwing::compiler
