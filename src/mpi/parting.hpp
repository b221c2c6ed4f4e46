// SPDX-License-Identifier: Apache-2.0
// The end of PMPI_Finalize, where MPICH over a network may hang.
//
// MPICH 4.0 closes its connections there: for each over which it has sent, UCX
// asks the process at the other end for a last answer. A process that has all answers goes
// on to the launcher's barrier and reads from a pipe, where it answers no one.
// If it gave its own answers before the others had closed, all is well; if
// another process still asks, that one waits for an answer, and all wait for it.
// Later versions of MPICH have no barrier in this place.
#pragma once

namespace lapwing::mpi {

/// Before PMPI_Init. From here on this process remembers what connections MPI has.
void remember_connections();

/// Before PMPI_Finalize: while that waits for the launcher, this process answers.
/// It costs no message, and needs none of the other processes: each that does so
/// lets its own neighbours go. Both do nothing under Open MPI, and under an MPICH
/// without UCX.
void answer_while_parting();

}  // namespace lapwing::mpi
