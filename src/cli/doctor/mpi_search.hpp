// SPDX-License-Identifier: Apache-2.0
// The MPIs of this machine, for `lapwing doctor`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/program.hpp"

namespace lapwing::cli {

struct FoundMpi {
  Mpi family = Mpi::unknown;
  std::string product;  ///< "MPICH", "Intel MPI", "Open MPI", ...
  std::string version;
  std::filesystem::path library;
  std::filesystem::path prefix;
  std::optional<std::string> launcher;
  std::string thread_level;  ///< the highest that it grants; empty: it could not be asked
  /// As the MPI itself names them, each as "layer:name" ("ch4:ofi", "pml:ob1"); empty: it does not.
  std::vector<std::string> transports;
  std::vector<std::string> fortran;  ///< the Fortran interfaces that it ships
  bool engine = false;               ///< this installation has one for it
};

/// Each library once: those that the loader finds, of the environments that are
/// active, and those beside each launcher and compiler of PATH. Each is loaded by a
/// process of its own, and asked.
std::vector<FoundMpi> mpis_here();

/// The work of that process: it loads the library, prints what that says of itself, and
/// initialises it to learn the thread level. Returns an exit status.
int ask_library(const std::string& library);

}  // namespace lapwing::cli
