// SPDX-License-Identifier: Apache-2.0
// Which calls a group of processes makes together: those that sets::Operation
// names, in every spelling and way.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <string>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

struct GroupRoutine {
  llvm::StringRef operation;  ///< "bcast", for each way of it
  int comm = -1;              ///< where its communicator stands; -1: it has none
  bool by_address = false;    ///< C passes the communicator's address
  Interface interface = Interface::c;
};

/// The routine that a symbol names, if it is such a one. A call of PMPI's is none: it
/// passes by the entry points.
std::optional<GroupRoutine> find_group_routine(llvm::StringRef symbol);

/// "bcast" for MPI_Bcast, MPI_Bcast_c, mpi_bcast_ and lapwing_f08_bcast; empty if
/// the symbol is no routine of MPI's. PMPI counts.
std::string routine_name(llvm::StringRef symbol, Interface* interface = nullptr);

/// The function that is called, if that is one that the call names.
inline const llvm::Function* callee_of(const llvm::CallBase& call) {
  return llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
}

class GroupCall {
 public:
  static std::optional<GroupCall> of(const llvm::Instruction& instruction);
  /// One that sends, receives or looks for a message, of which a group's members may each make their own.
  static std::optional<GroupCall> of_message(const llvm::Instruction& instruction);
  const GroupRoutine& routine() const { return routine_; }
  llvm::CallBase& call() const { return *call_; }
  bool is_fortran() const { return routine_.interface == Interface::fortran; }
  /// The communicator as it is passed; null if the routine has none.
  llvm::Value* comm() const;
  /// "MPI_Bcast", in whatever language.
  std::string name() const;

 private:
  GroupCall(const GroupRoutine& routine, llvm::CallBase& call) : routine_(routine), call_(&call) {}
  GroupRoutine routine_;
  llvm::CallBase* call_;
};

enum class KnownComm { unknown, world, self };

/// Whether a communicator argument is a constant of MPI's.
KnownComm known_comm(const llvm::Value* comm, Interface interface);

/// The integer that Fortran reads at an address, where it is a constant.
std::optional<std::int64_t> constant_at(const llvm::Value* address);

}  // namespace lapwing::compiler
