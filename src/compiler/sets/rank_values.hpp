// SPDX-License-Identifier: Apache-2.0
// Which values depend on what MPI says of the process' rank, and what they are on a
// given rank. All values are those of a model (model.hpp).
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/mpi/calls.hpp"
#include "compiler/sets/memory_use.hpp"

namespace lapwing::compiler {

/// The condition of a br or a switch; null for others.
const llvm::Value* condition_of(const llvm::Instruction& branch);

class RankValues {
 public:
  /// The module does not change meanwhile.
  explicit RankValues(const llvm::Module& module);

  /// The communicators, by comm_key(), whose ranks `value` depends on. Followed within the file, through
  /// memory and arguments; a rank in a group counts as "".
  std::set<std::string> ranks_in(const llvm::Value* value);
  /// The value on a rank, of `size` processes. Values of which nothing is known count as 1; then guessed() is
  /// true.
  std::optional<std::int64_t> on_rank(const llvm::Value* value, int rank, int size);
  bool guessed() const { return guessed_; }
  /// Equal for the same communicator: "world", "self", or where its handle stands.
  std::string comm_key(const llvm::Value* comm, Interface interface, unsigned depth = 0);

 private:
  struct Trail;
  void follow(const llvm::Value* value, Trail* trail);
  void follow_memory(const llvm::Value* address, Trail* trail);
  std::optional<std::int64_t> at(const llvm::Value* value, int rank, int size, unsigned depth);
  std::optional<std::int64_t> in_memory(const llvm::Value* address, int rank, int size, unsigned depth);
  Writes written_at(const llvm::CallBase& call, const llvm::Value* address, MemoryUse* use) const;
  bool same_place(const llvm::Value* a, const llvm::Value* b) const;
  const std::vector<const llvm::Instruction*>& users_of(const llvm::Value* address) const;
  bool may_write(const llvm::CallBase& call, const llvm::Value* address) const;

  std::int64_t guess() {
    guessed_ = true;
    return 1;
  }

  const llvm::Module& module_;
  /// The stores and calls that are given an address in an object, in the module's order.
  llvm::DenseMap<const llvm::Value*, std::vector<const llvm::Instruction*>> users_;
  bool guessed_ = false;
};

}  // namespace lapwing::compiler
