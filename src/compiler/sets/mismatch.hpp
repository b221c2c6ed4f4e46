// SPDX-License-Identifier: Apache-2.0
// Collective calls that only some processes come to, found while compiling.
//
// A branch that is not proved uniform, and that depends on the process' rank, leads
// to calls that its other ways do not make, or make in another order: `--sets=check`
// warns of the first of them. Calls are told apart by name and communicator, and
// followed through functions of the same file.
//
// A warning is certain where processes 0 to 3 of four go different ways, by the
// branch's arithmetic, and make different numbers of the call in the whole function;
// where these numbers are equal, several branches complement each other, and nothing
// is said.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/sets/reachability.hpp"
#include "compiler/sets/splits.hpp"
#include "compiler/sets/uniformity.hpp"

namespace lapwing::compiler {

namespace mismatch {
class CallSequences;
}

struct Mismatch {
  const llvm::CallBase* call;
  std::string sentence;
  bool certain;
};

/// Looks at the splits of one module. The way of a process through a function, and at a branch, is worked out
/// once.
class MismatchSearch {
 public:
  MismatchSearch(const Reach& reach, Uniformity& uniformity);
  ~MismatchSearch();

  /// A split's calls that have no counterpart, each once for all splits.
  void look(const Split& split, const SetFlow& flow, std::vector<Mismatch>* found);

 private:
  std::unique_ptr<mismatch::CallSequences> ways_;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> told_;
};

/// The certain ones first, otherwise in the order of their lines.
void warn_of(std::vector<Mismatch> mismatches);

}  // namespace lapwing::compiler
