// SPDX-License-Identifier: Apache-2.0
// Where waiting was measured: a report of `lapwing run`, so that only those
// call sites are changed (`lwcc --lapwing-profile=FILE`).
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/IR/Instructions.h>

#include <string>

namespace lapwing::compiler {

class Profile {
 public:
  /// Reads a report. A report that cannot be read is a sentence in `complaint`, and all
  /// sites then count as waiting.
  explicit Profile(const std::string& path);

  /// Whether waiting was measured at this call: always, without a profile and
  /// for calls without a line number.
  bool waits_at(const llvm::Instruction& call) const;
  std::string complaint;

 private:
  bool given_ = false;
  llvm::StringSet<> sites_;  ///< file:line
};

}  // namespace lapwing::compiler
