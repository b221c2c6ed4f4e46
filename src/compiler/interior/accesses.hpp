// SPDX-License-Identifier: Apache-2.0
// The memory that loops touch, as ranges of bytes that grow evenly from round to round.
#pragma once

#include "compiler/interior/affine_forms.hpp"

namespace lapwing::compiler {

class Accesses : public AffineForms {
 public:
  using AffineForms::AffineForms;

  /// Adds what a load, a store or a memory intrinsic touches. False, with `failure`, where that is not known.
  bool add(const llvm::Instruction& i, llvm::Value* where = nullptr);
  bool add(const llvm::Instruction& i, llvm::Value* pointer, const llvm::SCEV* bytes, bool writes,
           llvm::Value* where = nullptr);

  llvm::SmallVector<Footprint, 12> footprints;

 private:
  bool merge(Footprint footprint);
};

}  // namespace lapwing::compiler
