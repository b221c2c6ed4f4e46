// SPDX-License-Identifier: Apache-2.0
// The last thing that the processes of a job do together before PMPI_Finalize.
#pragma once

namespace lapwing::mpi {

/// Collective over MPI_COMM_WORLD, where no message of anybody's is under way.
/// MPICH 4.0 over a network closes each connection in PMPI_Finalize, and then waits
/// for the launcher without serving anybody: a process whose connection to it is
/// only half made hangs there. Control messages, which go one way, leave such
/// connections; here both sides of each are made. Does nothing under Open MPI, on
/// one node, or in jobs so large that most processes never meet.
void make_connections_whole();

}  // namespace lapwing::mpi
