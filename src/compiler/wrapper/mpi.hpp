// SPDX-License-Identifier: Apache-2.0
// The MPI that is compiled for, and what its own wrapper adds to a command:
// nothing about an installation is known here that the wrapper does not say.
#pragma once

#include <optional>
#include <string>

#include "language.hpp"
#include "options.hpp"
#include "words.hpp"

namespace lapwing::wrapper {

struct Chosen {
  Mpi mpi = Mpi::mpich;
  std::string wrapper;  ///< the MPI's own, for the language
};

/// The MPI by --lapwing-mpi, by LAPWING_MPI, by the name that the wrapper was
/// called by, by mpicc on PATH, or the only one installed. Throws Failure if
/// none of these says one, or it is not there.
Chosen choose_mpi(std::optional<Mpi> by_option, std::optional<Mpi> by_name, Language language);

/// The flags that the user has put into OMPI_CFLAGS and its like, which Open MPI's
/// wrappers add; MPICH's have no such variables.
Words ambient_flags(Mpi mpi, Language language);

struct Added {
  Words before;         ///< in front of the user's arguments
  Words after;          ///< behind them
  std::string version;  ///< what MPICH's wrapper says to -v, under our name
};

/// The words that the MPI's wrapper adds where it links, or only compiles. Only what
/// concerns headers and libraries is taken, and what the user asked for by
/// variables: the rest is for the compiler that the MPI was built with.
Added ask_mpi(const Chosen& chosen, Language language, bool links, bool fully_static, const Options& options);

/// "MPICH 4.0.2", as the MPI's wrapper says.
std::string version_of(const Chosen& chosen);

/// The variables that would lead the MPI's wrapper elsewhere.
Words override_variables();

}  // namespace lapwing::wrapper
