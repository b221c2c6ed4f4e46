// SPDX-License-Identifier: Apache-2.0
// An MPI's library, by its name and its place, and the launcher that belongs to it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/launch/program.hpp"

namespace lapwing::cli {

/// The family of the library that programs ask for under this name: the MPICH
/// ABI, Open MPI 4 and 5, the standard ABI of MPI 5; `other` for MPIs of no
/// known family, `unknown` for libraries that are no MPI. `file` is what the
/// name stands for, if that is known.
Mpi family_of(const std::string& name, const std::filesystem::path& file);

/// The family of the MPI that Lapwing's library of this name loads where a program has none: a linker that
/// meets Lapwing's library first leaves MPI's out of a program (--as-needed). `unknown` for other libraries.
Mpi family_of_engine(const std::string& name);

/// Where an MPI is installed: the folder above the `lib` that holds its library.
std::filesystem::path prefix_of(const std::filesystem::path& library);

/// A launcher for programs that load this library, as one word: of the library's own
/// installation, else the first of its family in PATH. A launcher in PATH is
/// given by its name alone.
std::optional<std::string> find_launcher(Mpi mpi, const std::filesystem::path& library);

}  // namespace lapwing::cli
