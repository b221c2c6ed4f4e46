// SPDX-License-Identifier: Apache-2.0
// Which of Lapwing's libraries this process uses, and what it would use without them.
#pragma once

#include "lapwing/loaded_mpi.hpp"

/// Handle of liblapwing-<family>.so, or nullptr before the first MPI call and where
/// Lapwing stands aside. Never loads anything.
__attribute__((visibility("hidden"))) void* lapwing_preload_library();

/// The same, and loads it, in a process in which there is one MPI and no MPI function has been called.
__attribute__((visibility("hidden"))) void* lapwing_preload_load();

namespace lapwing::preload {

/// libc's dlsym. Lapwing's own is for the program.
mpi::Lookup* libc_dlsym();

/// The engine, if this library has loaded it: for all to see, so that programs find the C API in it, and
/// MPI's names as well, which no file would have there without Lapwing.
const link_map* loaded_engine();

/// The definition of `name` that stands behind this library for all to see; not that of the engine it has
/// loaded.
void* next_definition(const char* name);

/// Where the call of `name` that comes from `caller` would go if Lapwing were not there:
/// to the next definition for all, or to one that only the caller's file sees. Null where
/// there is none.
void* plain_definition(const char* name, const void* caller);

/// The stub that is exported under `name`, or nullptr.
void* stub_of(const char* name);
bool is_stub(const void* address);

/// Weak references to functions that no MPI of the process has are null again, in all files
/// that have been loaded since the last time.
void clear_weak_references();

/// Whether this library's constructors have run. Before that a sanitizer asks for libc's
/// functions, which it has taken, and a call of any of them would end in null.
extern bool initialised;

/// The file of `address`, or nullptr.
link_map* file_of(const void* address);

}  // namespace lapwing::preload
