// SPDX-License-Identifier: Apache-2.0
// The modules mpi and mpi_f08: the MPI's own are gfortran's, of which
// flang 19 says sixty thousand lines that lead nowhere.
#pragma once

#include <string>

#include "words.hpp"

namespace lapwing::wrapper {

/// The first module of MPI's that a Fortran source uses; empty if it uses none.
std::string used_mpi_module(const std::string& source);

/// The first of these words that names a folder of MPI's modules for gfortran, as pkg-config, FindMPI and
/// `mpifort -showme:compile` do; the number of words if none does.
std::size_t gfortran_modules(const Words& arguments);

/// Throws Failure if a source uses such a module and only gfortran's would be
/// found: neither this folder nor one among the user's arguments has it.
void need_modules(const Words& sources, const Words& arguments, const std::string& folder);

}  // namespace lapwing::wrapper
