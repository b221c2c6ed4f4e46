// SPDX-License-Identifier: Apache-2.0
// The memory that loops touch, as ranges of bytes that grow evenly from round to round (scalar evolution).
// That a number does not wrap where it is made longer, which cannot be proved, becomes a question too: all is
// asked at run time (transfer/compiled/interior_range.hpp).
#pragma once

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace lapwing::compiler {

/// One access, or several that lie together: `bytes` from `first` on, moved by each loop around it. All
/// values are known where the question is asked.
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
  bool alone = false;            ///< what it touches, no other access writes, and itself only once
  llvm::Value* where = nullptr;  ///< a truth: it is touched only where this holds; null for always
  llvm::SmallVector<const llvm::Instruction*, 2> by_whom;
};

/// The most loops between an access and the outermost one, and the most footprints of each sort.
constexpr std::size_t most_inner_loops = 3;
constexpr std::size_t most_footprints = 48;

class Accesses {
 public:
  /// Of code behind the block `asked`, at whose end the question is asked; `outer`: the loop that is to be
  /// divided, or null.
  Accesses(llvm::ScalarEvolution& scev, const llvm::LoopInfo& loops, const llvm::BasicBlock& asked,
           const llvm::Loop* outer)
      : scev_(scev), loops_(loops), asked_(asked), outer_(outer) {}

  /// Adds what a load, a store or a memory intrinsic touches. False, with `failure`, where that is not known.
  bool add(const llvm::Instruction& i, llvm::Value* where = nullptr);
  bool add(const llvm::Instruction& i, llvm::Value* pointer, const llvm::SCEV* bytes, bool writes,
           llvm::Value* where = nullptr);
  /// A loop's rounds, less one, as a number of 64 bits; null where they are not known at the question.
  const llvm::SCEV* rounds_of(const llvm::Loop& loop);

  llvm::SmallVector<Footprint, 12> footprints;
  /// Numbers that must not wrap: `first` is the number, `bytes` its bits, negative where it has no sign.
  llvm::SmallVector<Footprint, 8> numbers;
  const char* failure = nullptr;

 private:
  struct Linear {
    const llvm::SCEV* base = nullptr;
    llvm::SmallMapVector<const llvm::Loop*, const llvm::SCEV*, 4> steps;
    llvm::SmallVector<const llvm::SCEV*, 1> choices;  // steps that are made or not
  };
  std::optional<Linear> sum_of(std::optional<Linear> a, const std::optional<Linear>& b);
  std::optional<Linear> either(const std::optional<Linear>& a, const std::optional<Linear>& b);
  bool fail(const char* why) { return failure = why, false; }
  bool is_known(const llvm::SCEV* value) { return scev_.dominates(value, &asked_); }
  const llvm::SCEV* widened(const llvm::SCEV* value);
  std::optional<Linear> linear(const llvm::SCEV* value);
  std::optional<Linear> chosen(const llvm::SCEV* value);
  llvm::PHINode* counter_of(const llvm::SCEV* value) const;
  std::optional<Linear> counted(llvm::PHINode& counter, llvm::Type* type);
  bool add_steps(llvm::Value* next, llvm::PHINode& counter, llvm::Type* type, const llvm::SCEV*& step,
                 unsigned depth);
  std::optional<Linear> scaled(const llvm::SCEV* product);
  std::optional<Linear> extended(const llvm::SCEV* value, bool has_sign);
  bool describe(const Linear& linear, Footprint* footprint);
  bool merge(Footprint footprint);
  llvm::Type* word() const { return llvm::Type::getInt64Ty(asked_.getContext()); }

  llvm::ScalarEvolution& scev_;
  const llvm::LoopInfo& loops_;
  const llvm::BasicBlock& asked_;
  const llvm::Loop* outer_;
  llvm::Value* where_ = nullptr;  // of the access that is being added
  unsigned depth_ = 0;
};

}  // namespace lapwing::compiler
