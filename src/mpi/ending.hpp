// SPDX-License-Identifier: Apache-2.0
// The end of a job that cannot go on.
#pragma once

namespace lapwing::mpi {

/// Returns once the launcher has this process's stdout and stderr, or a
/// second has passed. MPICH's launcher drops all unread output when a process
/// aborts, also that of other processes.
void let_words_arrive();

/// After a sentence that says why. Ends the process by itself where MPI is not
/// initialised, or has been finalized.
[[noreturn]] void end_job(int status);

/// The same where another rank says it: leaves that one some time.
[[noreturn]] void end_job_in_silence(int status);

}  // namespace lapwing::mpi
