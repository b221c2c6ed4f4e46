// SPDX-License-Identifier: Apache-2.0
// Compiled programs call this behind MPI_Abort, in place of what follows it.
#include <unistd.h>

#include <cstdlib>

#include "entry/compiled/compiled.hpp"

namespace {

constexpr unsigned seconds_to_abort = 10;

}  // namespace

// The thread that aborts the job has time for it, then this one ends the process.
LAPWING_ENTRY void lapwing_aborted() {
  sleep(seconds_to_abort);
  _exit(EXIT_FAILURE);
}
