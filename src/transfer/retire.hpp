// SPDX-License-Identifier: Apache-2.0
// Retiring deferred transfers from outside the engine: what every other entry
// point does before it lets MPI touch the program's memory (rule 3).
#pragma once

#include <cstddef>

namespace lapwing::transfer {

/// Returns once no deferred transfer overlaps [address, address + length).
void retire_overlapping(const void* address, std::size_t length);

/// Returns once no transfer of this process is deferred.
void retire_everything();

}  // namespace lapwing::transfer
