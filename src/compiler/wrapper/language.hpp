// SPDX-License-Identifier: Apache-2.0
// The three languages and the two MPIs that a wrapper may be called for.
#pragma once

#include <optional>
#include <string>

namespace lapwing::wrapper {

enum class Language { c, cxx, fortran };
enum class Mpi { mpich, openmpi };

inline const char* name_of(Mpi mpi) { return mpi == Mpi::mpich ? "mpich" : "openmpi"; }
inline const char* title_of(Mpi mpi) { return mpi == Mpi::mpich ? "MPICH" : "Open MPI"; }
inline const char* name_of(Language language) {
  return language == Language::c ? "C" : language == Language::cxx ? "C++" : "Fortran";
}
inline std::optional<Mpi> mpi_named(const std::string& name) {
  if (name == "mpich") return Mpi::mpich;
  if (name == "openmpi") return Mpi::openmpi;
  return std::nullopt;
}

}  // namespace lapwing::wrapper
