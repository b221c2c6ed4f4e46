// SPDX-License-Identifier: Apache-2.0
// The standard ABI: Fortran, where a member has it. Intel's library for it is that of its MPICH ABI, compiled
// again.
#pragma once

#include "mpi/mpich/mpi_fortran.hpp"
