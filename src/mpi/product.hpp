// SPDX-License-Identifier: Apache-2.0
// Which MPI this is, and over which transport it runs: figures that were measured with one say nothing of
// another.
#pragma once

#include <string>

namespace lapwing::mpi {

/// The product, its version and, where it says so, its device: of the text of MPI_Get_library_version,
/// without what a packager has added. "MPICH 4.0.2 ch4:ucx", "Open MPI v4.1.4".
std::string product_of(const std::string& library_version);

/// The transport, by the variables with which the user may have chosen it: "UCX_TLS=tcp,self", or "default".
std::string chosen_transport();

}  // namespace lapwing::mpi
