// SPDX-License-Identifier: Apache-2.0
// Gets that return before their bytes have come.
#pragma once

namespace lapwing::entry {

/// At the end of MPI_Init, on every rank of a job with engines; collective over MPI_COMM_WORLD. `possible`:
/// one-sided accesses are served here, and nothing else replaces their calls. Where all ranks agree, MPI_Get
/// and the flushes go to the engine from then on.
void defer_gets(bool possible);

}  // namespace lapwing::entry
