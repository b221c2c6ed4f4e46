// SPDX-License-Identifier: Apache-2.0
// Which error handlers communicators can have.
#pragma once

namespace lapwing::mpi {

/// Whether nothing in the process refers to a call that gives a communicator an error handler. Reads all
/// references the first time, and when a library has been loaded.
bool nothing_sets_handlers();

/// Whether nothing in the process can give a communicator another handler than
/// the one that all are born with: then every error ends the job. Asked anew when
/// a library has been loaded. To be called after MPI_Init.
bool handlers_never_change();

}  // namespace lapwing::mpi
