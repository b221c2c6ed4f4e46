// SPDX-License-Identifier: Apache-2.0
// What the hand-written point-to-point entry points share.
//
// Each has a fast path of a few instructions, for messages that are surely too
// small to be stripped while nothing is deferred; everything else is the
// business of transfer/operations.hpp.
#pragma once

#include <mpi.h>

#include "transfer/operations.hpp"

#define LAPWING_ENTRY extern "C" __attribute__((visibility("default")))

/// Set by a Fortran entry point around its call of the C one: where the
/// program's own call returns to.
extern "C" __thread const void* lapwing_fortran_caller;

namespace lapwing::entry {

inline transfer::Caller caller(const char* name, const void* returns_to) {
  return {lapwing_fortran_caller ? lapwing_fortran_caller : returns_to, name};
}

/// True where a call may go straight to MPI.
inline bool straight(MPI_Count count, MPI_Datatype type) {
  return transfer::surely_below(count, type, transfer::header_bytes) && transfer::quiet();
}

}  // namespace lapwing::entry

#define LAPWING_CALLER(name) lapwing::entry::caller(name, __builtin_return_address(0))
