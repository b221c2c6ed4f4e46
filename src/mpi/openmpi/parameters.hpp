// SPDX-License-Identifier: Apache-2.0
// Open MPI's parameters (MCA), as the user and the administrator have set them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lapwing::mpi {

/// The value that Open MPI will find for a parameter: in the environment, where `mpiexec --mca` puts it, else
/// in the user's file, else in the administrator's. None: its default holds. Files that mca_base_param_files
/// names are not read.
std::optional<std::string> parameter(std::string_view name);

/// A list of components, "a,b" or "^a,b" for all but these, admits `component`. An empty list admits all.
bool admits(std::string_view list, std::string_view component);

}  // namespace lapwing::mpi
