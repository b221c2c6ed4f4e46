// SPDX-License-Identifier: Apache-2.0
// Gets and puts that go on after their flush.
#pragma once

namespace lapwing::entry {

/// At the end of MPI_Init, on every rank of a job with engines; collective over MPI_COMM_WORLD. `possible`:
/// one-sided accesses are served here, and nothing else replaces their calls. Where all ranks agree, gets,
/// puts and flushes go to the engine from then on.
void defer_accesses(bool possible);

}  // namespace lapwing::entry
