// SPDX-License-Identifier: Apache-2.0
// Which line of a program made a call. MPI's Fortran wrappers, and Lapwing's own, stand between a Fortran
// program and the C entry points, and the functions of lapwing/memory.h between any program and MPI; without
// this all calls through one of them would be one call site.
#pragma once

/// Where the last Fortran call of this thread returns to; set by the stubs of
/// the Fortran entry points.
extern "C" __attribute__((visibility("hidden"),
                          tls_model("initial-exec"))) __thread const void* lapwing_fortran_caller;

namespace lapwing::entry {

/// `returns_to`, or the program's own call if that lies in a wrapper.
const void* call_site(const void* returns_to);

/// Notes the caller of a Fortran entry point of Lapwing's own, unless a wrapper
/// of MPI's called it: then the caller is noted already.
void note_fortran_caller(const void* returns_to);

/// Called when a Fortran library has been met.
void learn_fortran_libraries();

}  // namespace lapwing::entry
