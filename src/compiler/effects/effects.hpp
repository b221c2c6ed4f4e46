// SPDX-License-Identifier: Apache-2.0
// What an instruction does, as far as moving a wait across it is concerned:
// the memory that it touches, and what others may see of it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <functional>
#include <memory>
#include <optional>

#include "compiler/effects/module_properties.hpp"

namespace lapwing::compiler {

/// The effects of a call outside this process's memory; bits of a set.
enum Seen : unsigned {
  posts = 1,        ///< a receive is posted
  completes = 2,    ///< something of this process is waited for or tested
  receives = 4,     ///< waits for a message of another process
  probes = 8,       ///< looks at messages that nobody has received yet
  sends = 16,       ///< others may learn from it what this process has done
  collective = 32,  ///< several processes meet
  outside = 64,     ///< anything: input and output, unknown code, atomics, may not return
  team = 128,       ///< the threads of a parallel region meet
};

/// Memory that is touched. Without a pointer: any that others can reach.
struct Touch {
  const llvm::Value* pointer = nullptr;
  llvm::LocationSize size = llvm::LocationSize::beforeOrAfterPointer();
  bool reads = false, writes = false;
  bool whole = false;            ///< a write of all that the pointer stands for
  llvm::MDNode* type = nullptr;  ///< of Fortran's variable, see fortran_tags.hpp
  bool absolute = false;         ///< a datatype says where, if the pointer is MPI_BOTTOM
  /// In a function's summary: not the argument `pointer`, but what it points to holds the pointer, so many
  /// bytes behind its begin.
  std::optional<std::int64_t> held_at{};
  /// In a function's summary, without a pointer: only what this allocatable holds.
  const llvm::GlobalVariable* owner = nullptr;
};

struct Effects {
  unsigned seen = 0;
  llvm::SmallVector<Touch, 6> touches;
  bool ask_llvm = false;      ///< memory: what alias analysis says of this instruction
  bool ends_stack = false;    ///< memory that was allocated dynamically on the stack ends
  const char* why = nullptr;  ///< of `outside`: what it is, for remarks
  /// With `outside`: the touches are all the same, and nothing is thrown. Only others may see it.
  bool touches_are_all = false;

  static Effects anything(const char* why) {
    Effects e;
    e.seen = outside;
    e.why = why;
    return e;
  }
};

class EffectsOf {
 public:
  using LibraryInfo = std::function<const llvm::TargetLibraryInfo&(const llvm::Function&)>;
  /// Of calls that others may see, `nameable` asks for what they touch, too, where that is known.
  enum class Of { nothing_outside, nameable };
  explicit EffectsOf(LibraryInfo library, Of of = Of::nothing_outside)
      : library_(std::move(library)), nameable_(of == Of::nameable) {}

  Effects operator()(const llvm::Instruction& instruction);
  /// Of a module whose functions have been changed.
  EffectsOf anew() const {
    EffectsOf fresh(library_);
    fresh.module_properties_ = module_properties_;
    return fresh;
  }
  /// Of the module as it was before anything was changed.
  const ModuleProperties& module_properties(const llvm::Module& module);

 private:
  Effects of_call(const llvm::CallBase& call);
  /// Of a parallel region, as the thread sees it that starts its team.
  Effects of_region(const llvm::CallBase& call, const llvm::Function& region);
  Effects of_intrinsic(const llvm::IntrinsicInst& call);
  /// A function of this module that was not inlined.
  const Effects& summary(const llvm::Function& function);
  Effects summarise(const llvm::Function& function);

  LibraryInfo library_;
  bool nameable_;
  std::optional<ModuleProperties> module_properties_;
  // Null while it is being found: a recursive function may do anything.
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<Effects>> summaries_;
};

/// The effects of an MPI call.
class MpiCall;
Effects effects_of_mpi(const MpiCall& call);

/// Null, or a number that was made a pointer: a sentinel of MPI's in C, if it stands where one may.
bool is_sentinel_number(const llvm::Value* pointer);

/// Whether a pointer may be MPI_BOTTOM: one of several that it is chosen from is.
bool may_be_bottom(const llvm::Value* pointer);

/// At least the size of any MPI's status, and of any other scalar that a call
/// writes; Open MPI's status of 24 bytes is the largest.
constexpr std::uint64_t status_bytes = 64;

/// The size of a request: handles are integers in Fortran and in MPICH, and
/// pointers in Open MPI's C interface.
unsigned request_bytes(const MpiCall& call);

/// How far the requests of a call reach, or the one: exactly where their number is known.
llvm::LocationSize requests_size(const MpiCall& call);

/// The bytes of one element of a basic datatype argument.
std::optional<std::uint64_t> basic_size(const MpiCall& call, int index);

/// How many bytes from `buffer` on an MPI call with this count and datatype may
/// touch: exactly, from the pointer on, or anything around it.
llvm::LocationSize message_size(const MpiCall& call, int count, int type);

}  // namespace lapwing::compiler
