// SPDX-License-Identifier: Apache-2.0
// Accelerators. Two things of theirs concern the guards: memory that only they
// reach, although it has an address here, and host memory that they keep hold of
// (cudaHostRegister and its kin) and read without asking the page table, so that
// no guard stops them.
#pragma once

#include <cstddef>

namespace lapwing::guard {

/// True once the process has loaded a library that drives an accelerator (CUDA,
/// HIP, Level Zero): from then on no page is closed. The kernel could tell which
/// pages a device holds, but refuses those that are closed when it is to hold them.
/// A few dozen nanoseconds while there is none, less afterwards.
bool accelerators();

/// The user says that no accelerator has to do with what MPI sends and receives.
void ignore_accelerators();

/// Some page has stayed open because of accelerators.
bool accelerators_mattered();
void note_accelerators_mattered();

/// True where the processor may read the buffer, by its first and its last byte.
/// Only asks the kernel (a microsecond) once accelerators() is true.
bool reachable(const void* begin, std::size_t length);

}  // namespace lapwing::guard
