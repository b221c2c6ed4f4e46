// SPDX-License-Identifier: Apache-2.0
// Collectives that return before the bytes of others have come.
#pragma once

#include "transfer/settings.hpp"

namespace lapwing::entry {

/// At the end of MPI_Init, on every rank of a job with engines. `possible`: nothing else
/// replaces collectives on this rank. Calls of the kinds on which all ranks agree go to the
/// engine from then on.
void defer_collectives(const transfer::Settings& settings, bool possible);

}  // namespace lapwing::entry
