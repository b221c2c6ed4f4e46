// SPDX-License-Identifier: Apache-2.0
// What Fortran's rules say about aliases, as flang writes it down.
//
// flang does not mark dummy arguments `noalias`. It gives each variable that is
// neither TARGET nor POINTER a type of its own in a TBAA tree per procedure.
// MPI's arguments carry no such types, so the type of a buffer is taken from
// the loads and stores of the same dummy argument. Types of inlined procedures
// are left out: two rounds of a loop may be two calls with other actual
// arguments.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include <optional>

#include "compiler/mpi/calls.hpp"

namespace lapwing::compiler {

/// The TBAA type of a load or store, if it is one of this procedure's own, or of C or C++.
llvm::MDNode* own_type(const llvm::Instruction& access);

/// Whether a function comes from flang, by its name.
bool is_fortran(const llvm::Function& function);

/// The TBAA type that holds of an access wherever one of two does; null for none.
llvm::MDNode* common_type(llvm::MDNode* a, llvm::MDNode* b);

/// Whether an access is one to an integer or a pointer, by its TBAA type: no floating-point number is stored
/// or read so. In Fortran to a descriptor, or to a variable that is not `buffer`; its arrays of integers may
/// hold what was sent as real numbers.
bool is_no_floating_access(const llvm::Instruction& access, const llvm::Value* buffer);

/// Whether a store, or a copy that stands for several, writes floating-point numbers, by its type or in C and
/// C++ by its TBAA type.
bool writes_floating_numbers(const llvm::Instruction& access);

/// Whether a type stands for one dummy argument that is neither TARGET nor
/// POINTER: what is modified under another name is not this argument.
bool is_dummy_type(const llvm::MDNode* tag);

/// The one type of all accesses to a dummy argument, or to the data of an
/// allocatable in a global; null where there is no such type.
llvm::MDNode* type_of_variable(const llvm::Value* pointer, const llvm::Function& function);

/// The constant that an argument passed by reference holds at a call.
std::optional<std::int64_t> constant_argument(const MpiCall& call, int index);

}  // namespace lapwing::compiler
