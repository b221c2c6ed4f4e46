// SPDX-License-Identifier: Apache-2.0
#include "compiler/mpi/calls.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <string>

namespace lapwing::compiler {

std::optional<MpiCall> MpiCall::of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || call->isInlineAsm()) return {};
  const auto* callee = llvm::dyn_cast<llvm::Function>(call->getCalledOperand()->stripPointerCasts());
  // A program that defines MPI_Send itself knows best what it does.
  if (!callee || !callee->isDeclaration()) return {};
  const auto symbol = find_symbol(callee->getName());
  if (!symbol) return {};
  static const Routine unlike{"?", Kind::outside};
  const Routine* routine = symbol->routine;
  const int given = static_cast<int>(call->arg_size());
  const bool runtime = routine->kind == Kind::token_start;
  const int extra = runtime ? given - routine->arguments : symbol->interface == Interface::fortran;
  // wtime and wtick are functions in Fortran, without an error argument.
  const bool function = routine->kind == Kind::query && routine->arguments == 0 && given == 0;
  if (routine->kind != Kind::outside && given != routine->arguments + extra && !function) routine = &unlike;
  return MpiCall(*routine, symbol->interface, const_cast<llvm::CallBase&>(*call));
}

llvm::Value* MpiCall::error() const {
  // Starts of Fortran's that the pass has made have one as well.
  if ((interface_ == Interface::c && routine_->kind != Kind::token_start) || call_->arg_size() == 0)
    return nullptr;
  llvm::Value* last = call_->getArgOperand(static_cast<unsigned>(call_->arg_size()) - 1);
  if (static_cast<int>(call_->arg_size()) != routine_->arguments + 1) return nullptr;
  return llvm::isa<llvm::ConstantPointerNull>(last) ? nullptr : last;
}

std::string MpiCall::spelling() const {
  const llvm::StringRef symbol = call_->getCalledOperand()->stripPointerCasts()->getName();
  llvm::StringRef name = symbol;
  if (interface_ == Interface::c) return name.str();
  name.consume_front("lapwing_f08_");
  if (name.consume_front("mpi_")) name = name.rtrim('_');
  std::string text = "MPI_" + name.str();
  if (text.size() > 4) text[4] = llvm::toUpper(text[4]);
  return text;
}

bool names_bottom(const llvm::Value* buffer) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(buffer));
  if (!global) return false;
  // Commons that hold the sentinels of the two MPIs' Fortran interfaces.
  const llvm::StringRef name = global->getName().rtrim('_');
  return llvm::StringSwitch<bool>(name)
      .Cases("mpipriv1", "mpipriv2", "mpiprivc", "mpifcmb5", "mpifcmb9", true)
      .Cases("mpi_fortran_bottom", "mpi_fortran_in_place", "mpi_fortran_unweighted",
             "mpi_fortran_weights_empty", true)
      .Cases("mpi_fortran_status_ignore", "mpi_fortran_statuses_ignore", "mpi_fortran_errcodes_ignore", true)
      .Cases("mpi_fortran_argv_null", "mpi_fortran_argvs_null", true)
      .Default(false);
}

}  // namespace lapwing::compiler
