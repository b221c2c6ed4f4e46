// SPDX-License-Identifier: Apache-2.0
// The library that knows the MPI of this process, liblapwing-tasks-<mpi>.so.
#pragma once

#include <string>

namespace lapwing::tasks::ranks {

/// The MPI that the program is linked with, or "".
std::string loaded_flavour();
/// The name of the file.
std::string library_of(const std::string& flavour);
/// Loads the library of an MPI; null, and why, if it cannot be had.
void* load_library(const std::string& flavour, std::string& why);

}  // namespace lapwing::tasks::ranks
