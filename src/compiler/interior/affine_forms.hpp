// SPDX-License-Identifier: Apache-2.0
// Numbers and addresses that grow evenly with the loops around them (scalar evolution), in values that are
// known where a question is asked. That a number does not wrap where it is made longer, or that a step is
// positive, cannot be proved: it becomes a part of the question (transfer/compiled/interior_range.hpp).
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
    const llvm::SCEV* back_edges;  ///< rounds of that loop, less one; or more than that
    std::size_t inside = 0;        ///< of a loop that may be divided as well: 1 for the outermost of these
  };
  const llvm::SCEV* first = nullptr;
  const llvm::SCEV* bytes = nullptr;
  bool writes = false;
  const llvm::SCEV* by = nullptr;  ///< a round of the outermost loop
  llvm::SmallVector<Step, 3> inner;
  bool is_exact = true;          ///< else a loop may leave out steps, or two loops' steps are those of one
  bool alone = false;            ///< what it touches, no other access writes, and itself only once
  llvm::Value* where = nullptr;  ///< a truth: it is touched only where this holds; null for always
  llvm::SmallVector<const llvm::Instruction*, 2> by_whom;
};

/// The most loops between an access and the outermost one, and the most footprints of each sort.
constexpr std::size_t most_inner_loops = 3;
constexpr std::size_t most_footprints = 48;

class AffineForms {
 public:
  /// Of code behind the block `asked`, at whose end the question is asked; `outer`: the loop that is to be
  /// divided, or null.
  AffineForms(llvm::ScalarEvolution& scev, const llvm::LoopInfo& loops, const llvm::BasicBlock& asked,
              const llvm::Loop* outer)
      : scev_(scev), loops_(loops), asked_(asked), outer_(outer) {}

  /// Loops inside `outer`, each inside the one before it, of which it is to be seen how they move an access.
  void tell_apart(llvm::ArrayRef<llvm::Loop*> inside) { inside_ = inside; }
  /// Whether a value is known where the question is asked.
  bool is_known(const llvm::SCEV* value) const { return scev_.dominates(value, &asked_); }
  /// A loop's rounds, less one, as a number of 64 bits; null where they are not known at the question.
  const llvm::SCEV* rounds_of(const llvm::Loop& loop);

  /// Numbers that must not wrap: `first` is the number, `bytes` its bits, negative where it has no sign.
  llvm::SmallVector<Footprint, 8> numbers;
  const char* failure = nullptr;

 protected:
  struct Linear {
    const llvm::SCEV* base = nullptr;
    llvm::SmallMapVector<const llvm::Loop*, const llvm::SCEV*, 4> steps;
    llvm::SmallVector<const llvm::SCEV*, 1> choices;  // steps that are made or not
    bool is_exact = true;                             // but for these
  };
  std::optional<Linear> linear(const llvm::SCEV* value);
  bool describe(const Linear& linear, Footprint* footprint);
  bool fail(const char* why) { return failure = why, false; }
  llvm::Type* word() const { return llvm::Type::getInt64Ty(asked_.getContext()); }

  llvm::ScalarEvolution& scev_;
  llvm::Value* where_ = nullptr;  // of the access that is being added

 private:
  struct Tiles {
    const llvm::Loop* loop;
    const llvm::SCEV* rounds;
  };
  std::optional<Linear> sum_of(std::optional<Linear> a, const std::optional<Linear>& b);
  std::optional<Linear> either(const std::optional<Linear>& a, const std::optional<Linear>& b);
  const llvm::SCEV* rounds_if_counted_up(const llvm::Loop& loop);
  const llvm::SCEV* at_most(const llvm::SCEV* value, bool in_all_rounds, unsigned depth = 0);
  const llvm::SCEV* most_rounds_of(const llvm::Loop& loop);
  std::optional<Tiles> tiles_around(const llvm::Loop& loop, const Linear& linear);
  const llvm::SCEV* widened(const llvm::SCEV* value);
  std::optional<Linear> chosen(const llvm::SCEV* value);
  llvm::PHINode* counter_of(const llvm::SCEV* value) const;
  std::optional<Linear> counted(llvm::PHINode& counter, llvm::Type* type);
  bool add_steps(llvm::Value* next, llvm::PHINode& counter, llvm::Type* type, const llvm::SCEV*& step,
                 unsigned depth);
  std::optional<Linear> scaled(const llvm::SCEV* product);
  std::optional<Linear> extended(const llvm::SCEV* value, bool has_sign);

  const llvm::LoopInfo& loops_;
  const llvm::BasicBlock& asked_;
  const llvm::Loop* outer_;
  llvm::ArrayRef<llvm::Loop*> inside_;
  llvm::SmallDenseMap<const llvm::Loop*, const llvm::SCEV*, 4> counted_up_;
  unsigned depth_ = 0;
};

/// Whether two differ in nothing but where they begin and how many bytes they are.
bool are_alike(const Footprint& a, const Footprint& b);

}  // namespace lapwing::compiler
