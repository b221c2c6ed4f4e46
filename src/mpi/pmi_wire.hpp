// SPDX-License-Identifier: Apache-2.0
// The key-value space of launchers that speak PMI-1 or PMI-2 over a descriptor: Hydra, gforker,
// Slurm's pmi2 and their like.
//
// A process may open only one session, and that is MPI's: Slurm does not answer a second `init`. So
// what is to be known is put down where MPI itself is about to enter its first fence, inside
// PMPI_Init. The text that MPI writes there says which of the two protocols it speaks, and over which
// descriptor. After that fence all processes can read it.
#pragma once

#include <string>
#include <vector>

namespace lapwing::mpi::pmi_wire {

/// Before PMPI_Init: these keys will be put, each with the value 1. False where
/// the launcher is none that speaks so.
bool arm(std::vector<std::string> keys);

/// After PMPI_Init: whether MPI has entered a fence, and all keys were taken.
bool ready();

/// After PMPI_Init: no later fence is meant.
void disarm();

enum class Found { yes, no, broken };
/// Asks the launcher alone: no other process need take part.
Found find(const std::string& key);

}  // namespace lapwing::mpi::pmi_wire
