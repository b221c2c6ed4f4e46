// SPDX-License-Identifier: Apache-2.0
// The parts of the measurement of `lapwing tune`.
#pragma once

#include <mpi.h>

#include <vector>

#include "machine/costs.hpp"

namespace lapwing::tune {

double median(std::vector<double> values);

/// Overheads, gap, round trip and gap per byte between the two ranks of `pair`; all but the copy and the
/// guards. Collective; the result is rank 0's.
void measure_link(MPI_Comm pair, machine::Costs* costs);

/// Whether a thread beside the two ranks, both of which compute, gets a core of rank 0's node: the cores that
/// are left there, or 0. `ranks_here`: ranks on rank 0's node. Collective.
double measure_spare_cores(MPI_Comm pair, int ranks_here);

/// Nanoseconds a byte of copying more memory than caches hold.
double measure_copy();

/// Both guards, on this process; costs of one that this machine does not permit stay zero.
void measure_guards(machine::Costs* costs);

}  // namespace lapwing::tune
