// SPDX-License-Identifier: Apache-2.0
// The key-value space of launchers that speak PMIx: those of Open MPI, Slurm's pmix.
#pragma once

#include <string>
#include <vector>

namespace lapwing::mpi::pmix {

/// Before PMPI_Init: these keys will be put. False where the process has no launcher
/// that speaks PMIx, or no library that does; `bring` is the one that this MPI
/// will load itself, or null.
///
/// Open MPI 5 ends in its own MPI_Init if somebody has opened a session before. Where MPI is
/// linked with PMIx the keys therefore join those that it puts itself; where it loads PMIx
/// later (Open MPI 4), a session is opened at once.
bool arm(const std::vector<std::string>& keys, const char* bring);

/// After PMPI_Init: whether the keys have been put, and others' can be read.
bool ready();

/// After PMPI_Init: whether the process `rank` of this job has put the key.
bool find(const std::string& key, int rank);

/// Ends what arm() and ready() began.
void close();

}  // namespace lapwing::mpi::pmix
