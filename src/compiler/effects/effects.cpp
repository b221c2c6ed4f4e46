// SPDX-License-Identifier: Apache-2.0
#include "compiler/effects/effects.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <utility>

#include "compiler/alias/allocations.hpp"
#include "compiler/alias/fortran_tags.hpp"
#include "compiler/declared/declarations.hpp"
#include "compiler/effects/library_calls.hpp"
#include "compiler/effects/parallel_regions.hpp"
#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::LibFunc;

// They may set errno, which is no buffer of a message.
bool is_mathematical(llvm::StringRef name) {
  static const llvm::StringRef known[] = {
      "acos",  "acosh", "asin",  "asinh",     "atan",  "atan2",  "atanh",   "cbrt",   "ceil", "copysign",
      "cos",   "cosh",  "erf",   "erfc",      "exp",   "exp2",   "exp10",   "expm1",  "fabs", "fdim",
      "floor", "fma",   "fmax",  "fmin",      "fmod",  "hypot",  "ldexp",   "lgamma", "log",  "log10",
      "log1p", "log2",  "logb",  "nearbyint", "pow",   "powi",   "rint",    "round",  "sin",  "sinh",
      "sqrt",  "tan",   "tanh",  "tgamma",    "trunc", "lround", "llround", "lrint",  "cabs", "cexp",
      "clog",  "cpow",  "csqrt", "csin",      "ccos",  "j0",     "j1",      "y0",     "y1"};
  // Names of single and long double precision, and glibc's __exp_finite.
  name.consume_front("__");
  name.consume_back("_finite");
  for (llvm::StringRef suffix : {"", "f", "l"}) {
    llvm::StringRef stem = name;
    if (!suffix.empty() && !stem.consume_back(suffix)) continue;
    for (llvm::StringRef one : known)
      if (stem == one) return true;
  }
  return false;
}

// Numerical helpers of flang's runtime that read and give scalars only.
bool is_fortran_scalar(llvm::StringRef name) {
  if (!name.consume_front("_FortranA")) return false;
  for (llvm::StringRef stem :
       {"FPow", "ModReal", "ModInteger", "Modulo", "Exponent", "Fraction", "Nearest", "RRSpacing", "Scale",
        "SetExponent", "Spacing", "Erfc", "zpowi", "cpowi", "Ceiling", "Floor", "Nint"}) {
    if (name.starts_with(stem)) return true;
  }
  return false;
}

// Whether attributes alone promise that a call returns and that nobody outside
// can see it. The memory is then alias analysis' affair.
bool promises_silence(const llvm::CallBase& call) {
  if (!call.doesNotThrow() || !call.hasFnAttr(llvm::Attribute::WillReturn)) return false;
  const llvm::MemoryEffects effects = call.getMemoryEffects();
  return effects.onlyReadsMemory() || effects.onlyAccessesInaccessibleOrArgMem();
}

// Nothing else is touched than what the arguments lead to.
void limit_to_arguments(Effects& e, const llvm::CallBase& call) {
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const llvm::Value* argument = call.getArgOperand(i);
    if (argument->getType()->isPointerTy())
      e.touches.push_back(
          {argument, llvm::LocationSize::beforeOrAfterPointer(), true, !call.onlyReadsMemory(i)});
  }
  e.touches_are_all = true;
}

// A parallel region finds through its arguments the memory that it shares with its function.
void hold(Touch& touch, const llvm::Value& pointer) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&pointer);
  if (!load || !load->isSimple()) return;
  const llvm::DataLayout& layout = load->getModule()->getDataLayout();
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
  const llvm::Value* base =
      load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (!llvm::isa<llvm::Argument>(base)) return;
  touch.pointer = base;
  touch.held_at = offset.getSExtValue();
}

// Volatile and atomic accesses may be seen from outside, and touch their memory all the same: a local
// variable that nobody else knows, too.
Effects of_order(bool is_volatile, bool is_atomic) {
  if (is_volatile) return Effects::anything("a volatile access");
  return is_atomic ? Effects::anything("an atomic access") : Effects{};
}

const llvm::Function* direct_callee(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
}

}  // namespace

const ModuleProperties& EffectsOf::module_properties(const llvm::Module& module) {
  if (!module_properties_) module_properties_ = find_module_properties(module);
  return *module_properties_;
}

Effects EffectsOf::operator()(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    Effects e = of_order(load->isVolatile(), load->isAtomic());
    e.touches.push_back({load->getPointerOperand(), llvm::MemoryLocation::get(load).Size, true, false, false,
                         own_type(*load)});
    return e;
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    Effects e = of_order(store->isVolatile(), store->isAtomic());
    e.touches.push_back({store->getPointerOperand(), llvm::MemoryLocation::get(store).Size, false, true, true,
                         own_type(*store)});
    return e;
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return of_call(*call);
  if (llvm::isa<llvm::ReturnInst>(instruction) || llvm::isa<llvm::UnreachableInst>(instruction) ||
      llvm::isa<llvm::ResumeInst>(instruction))
    return Effects::anything("the end of the function");
  if (instruction.isTerminator()) {
    if (llvm::isa<llvm::BranchInst>(instruction) || llvm::isa<llvm::SwitchInst>(instruction)) return {};
    return Effects::anything("a branch that is not followed");
  }
  if (instruction.isAtomic()) return Effects::anything("an atomic access or a fence");
  if (!instruction.mayReadOrWriteMemory()) return {};
  return Effects::anything("an access that is not known");
}

Effects EffectsOf::of_call(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) return of_intrinsic(*intrinsic);
  if (call.isInlineAsm()) {
    const bool silent =
        call.doesNotAccessMemory() && !llvm::cast<llvm::InlineAsm>(call.getCalledOperand())->hasSideEffects();
    return silent ? Effects{} : Effects::anything("inline assembly");
  }
  if (llvm::isa<llvm::CallBrInst>(call)) return Effects::anything("inline assembly that jumps");
  // Nothing may stand between such a call and the return.
  if (call.isMustTailCall()) return Effects::anything("a call that ends the function");
  if (const auto mpi = MpiCall::of(call)) {
    Effects e = effects_of_mpi(*mpi);
    if (nameable_ && (e.seen & outside)) limit_to_arguments(e, call);
    const ModuleProperties& file = module_properties(*call.getModule());
    // One that throws has its other way on, which is followed; without such a handler it never goes there.
    if (file.handles_errors || ((e.seen & completes) && file.calls_back))
      e.seen |= outside, e.why = "an MPI call that may run a function of the program's own";
    return e;
  }
  if (llvm::isa<llvm::InvokeInst>(call)) return Effects::anything("a call that may throw");
  const llvm::Function* callee = direct_callee(call);
  if (!callee) return Effects::anything("a call through a pointer");
  if (nameable_ && declared_call(call) != DeclaredCall::none) {
    Effects e = Effects::anything("declared communication");
    e.touches_are_all = true;  // of what is declared, its uses tell
    return e;
  }
  if (!nameable_) {
    if (const llvm::Function* region = region_of(call)) return of_region(call, *region);
    if (stays_in_team(call)) {
      Effects e;
      if (meets_team(call)) e.seen = team, e.why = "a barrier of the threads of a parallel region";
      limit_to_arguments(e, call);
      return e;
    }
  }
  if (callee->isDeclaration() || callee->isInterposable()) {
    if (is_fortran_scalar(callee->getName())) return {};
    LibFunc function;
    if (library_(*call.getFunction()).getLibFunc(*callee, function) && is_mathematical(callee->getName()))
      return {};
    if (promises_silence(call)) {
      Effects e;
      e.ask_llvm = true;
      return e;
    }
    if (reads_clock(call)) {
      Effects e;
      limit_to_arguments(e, call);
      return e;
    }
    Effects e = Effects::anything("a call of a function that is not known");
    if (nameable_ && knows_arguments_only(call, library_(*call.getFunction()))) limit_to_arguments(e, call);
    return e;
  }
  if (callee->getFunctionType() != call.getFunctionType())
    return Effects::anything("a call with other arguments than the function's");
  // It may give out again what was given back, which alias analysis takes for other memory.
  if (call.returnDoesNotAlias()) return Effects::anything("an allocator of the program's own");
  Effects e = summary(*callee);
  // From the function's arguments to this call's.
  for (Touch& touch : e.touches) {
    if (std::exchange(touch.held_at, {})) touch.pointer = nullptr;
    if (const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(touch.pointer)) {
      touch.pointer = call.getArgOperand(argument->getArgNo());
      if (touch.absolute && may_be_bottom(touch.pointer)) touch.pointer = nullptr;
    }
  }
  return e;
}

// Its threads begin and end with it, and see nobody but each other.
Effects EffectsOf::of_region(const llvm::CallBase& call, const llvm::Function& region) {
  const Effects inside = summary(region);
  if (inside.seen & ~static_cast<unsigned>(team))
    return Effects::anything("a parallel region that does more than compute");
  Effects e;
  for (Touch touch : inside.touches) {
    const auto held_at = std::exchange(touch.held_at, {});
    const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(touch.pointer);
    if (argument) touch.pointer = handed_to_region(call, argument->getArgNo());
    if (argument && !touch.pointer && !held_at) continue;  // the number of a thread
    llvm::SmallVector<const llvm::Value*, 4> pointers{touch.pointer};
    if (held_at) {
      pointers.clear();
      if (!touch.pointer || !find_pointers_in(touch.pointer, *held_at, pointers)) pointers.assign(1, nullptr);
    }
    for (const llvm::Value* pointer : pointers) {
      touch.pointer = touch.absolute && pointer && may_be_bottom(pointer) ? nullptr : pointer;
      e.touches.push_back(touch);
    }
  }
  return e;
}

Effects EffectsOf::of_intrinsic(const llvm::IntrinsicInst& call) {
  using llvm::Intrinsic::ID;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::invariant_start:
    case llvm::Intrinsic::invariant_end:
      return {};
    case llvm::Intrinsic::stackrestore: {
      Effects e;
      e.ends_stack = true;
      return e;
    }
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end: {
      Effects e;
      e.touches.push_back({call.getArgOperand(1), llvm::LocationSize::beforeOrAfterPointer(), false, true});
      return e;
    }
    default:
      break;
  }
  if (llvm::isa<llvm::DbgInfoIntrinsic>(call)) return {};
  if (const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call)) {
    Effects e = of_order(memory->isVolatile(), llvm::isa<llvm::AtomicMemIntrinsic>(call));
    e.touches.push_back({memory->getRawDest(), llvm::MemoryLocation::getForDest(memory).Size, false, true});
    if (const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call))
      e.touches.push_back(
          {transfer->getRawSource(), llvm::MemoryLocation::getForSource(transfer).Size, true, false});
    return e;
  }
  if (call.doesNotAccessMemory() && call.hasFnAttr(llvm::Attribute::WillReturn)) return {};
  if (promises_silence(call)) {
    Effects e;
    e.ask_llvm = true;
    return e;
  }
  return Effects::anything("an operation that is not known");
}

const Effects& EffectsOf::summary(const llvm::Function& function) {
  const auto [place, fresh] = summaries_.try_emplace(&function);
  if (fresh) {
    auto found = std::make_unique<Effects>(summarise(function));
    auto& slot = summaries_[&function];
    slot = std::move(found);
    return *slot;
  }
  static const Effects recursive = Effects::anything("a call of a function that calls itself");
  return place->second ? *place->second : recursive;
}

// Routines of solvers read dozens of variables of their modules.
constexpr std::size_t most_touches = 64;

Effects EffectsOf::summarise(const llvm::Function& function) {
  // MPI's weak matching rules aside, a function that sets jumps or is
  // naked assembly follows no rule that could be seen here.
  if (function.hasFnAttribute(llvm::Attribute::ReturnsTwice) ||
      function.hasFnAttribute(llvm::Attribute::Naked) || function.doesNotReturn())
    return Effects::anything("a call of a function that may not return");
  Effects whole;
  whole.touches_are_all = true;
  const auto anywhere = llvm::LocationSize::beforeOrAfterPointer();
  const auto add = [&](const Touch& touch) {
    for (Touch& known : whole.touches) {
      if (known.pointer == touch.pointer && known.held_at == touch.held_at && known.owner == touch.owner) {
        known.reads |= touch.reads;
        known.writes |= touch.writes;
        known.absolute |= touch.absolute;
        return;
      }
    }
    whole.touches.push_back(
        {touch.pointer, llvm::LocationSize::beforeOrAfterPointer(), touch.reads, touch.writes});
    whole.touches.back().absolute = touch.absolute;
    whole.touches.back().held_at = touch.held_at;
    whole.touches.back().owner = touch.owner;
  };
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::ReturnInst>(instruction) || llvm::isa<llvm::UnreachableInst>(instruction)) continue;
    const Effects e = (*this)(instruction);
    whole.seen |= e.seen;
    if (e.why && !whole.why) whole.why = "a call of a function that may do anything";
    if ((e.seen & outside) && !e.touches_are_all) return Effects::anything(whole.why);
    if (e.ask_llvm) add({nullptr, anywhere, true, instruction.mayWriteToMemory()});
    for (const Touch& touch : e.touches) {
      llvm::SmallVector<const llvm::Value*, 4> objects;
      if (touch.pointer) llvm::getUnderlyingObjects(touch.pointer, objects, nullptr, 0);
      if (objects.empty()) objects.push_back(nullptr);
      for (const llvm::Value* object : objects) {
        // A variable of this call only cannot be a buffer of the caller's.
        if (object && llvm::isa<llvm::AllocaInst>(object)) continue;
        const bool named =
            object && (llvm::isa<llvm::Argument>(object) || llvm::isa<llvm::GlobalVariable>(object));
        Touch one{named ? object : nullptr, anywhere, touch.reads, touch.writes};
        one.absolute = touch.absolute;
        if (!object) one.owner = touch.owner;
        if (object && !named) {
          hold(one, *object);
          one.owner = owner_of(object);
        }
        add(one);
      }
    }
    if (whole.touches.size() > most_touches) {
      bool reads = false, writes = false;
      for (const Touch& t : whole.touches) reads |= t.reads, writes |= t.writes;
      whole.touches.clear();
      whole.touches.push_back({nullptr, llvm::LocationSize::beforeOrAfterPointer(), reads, writes});
    }
  }
  return whole;
}

}  // namespace lapwing::compiler
