// SPDX-License-Identifier: Apache-2.0
// The names that the program, and the libraries that it brought, refer to, and where
// such a reference leads.
#pragma once

namespace lapwing::mpi {

/// Whether this file, by its path, is a part of an MPI: its calls are its own affair, on communicators of its
/// own.
bool is_of_mpi(const char* file);

enum class Files : unsigned char { all, outside_mpi };
/// Whether one of these files, Lapwing's own left out, refers to a symbol whose name begins with one of
/// `prefixes`, of which each begins with MPI_, mpi_, PMPI_, pmpi_ or lapwing_ and the last is a null. Never
/// loads anything. Any thread.
bool refers_to(const char* const* prefixes, Files files = Files::all);

/// Shows each file, and each symbol that it refers to, one file after the other;
/// nothing of Lapwing's own. The program's file has no name. Ends where `visit`
/// gives true.
using ReferenceVisitor = bool(const char* file, const char* symbol, void* context);
void each_reference(ReferenceVisitor* visit, void* context);
/// Likewise of symbols that begin with MPI_, mpi_, PMPI_, pmpi_ or lapwing_, which are read once for all
/// questions. `visit` asks none.
void each_reference_to_mpi(ReferenceVisitor* visit, void* context);

/// Lets calls of `symbol` that come from files with `library` in their name go to
/// `to`, for the rest of the process. False where no such file makes such calls.
bool redirect(const char* library, const char* symbol, void* to);

}  // namespace lapwing::mpi
