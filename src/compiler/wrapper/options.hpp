// SPDX-License-Identifier: Apache-2.0
// The options that are the wrapper's own: Lapwing's, and those that the
// wrappers of MPICH and Open MPI have.
#pragma once

#include <optional>
#include <string>

#include "language.hpp"
#include "words.hpp"

namespace lapwing::wrapper {

/// An action instead of running the compiler.
enum class Show {
  nothing,
  line,          ///< -show, -showme: the whole command
  lapwing,       ///< --lapwing-show: the same with the environment
  command,       ///< -showme:command
  compile,       ///< -showme:compile, -show-compile-info
  link,          ///< -showme:link, -show-link-info
  include_dirs,  ///< -showme:incdirs
  library_dirs,  ///< -showme:libdirs
  libraries,     ///< -showme:libs
  version,       ///< -showme:version
  mpi_help,      ///< -showme:help
  help,          ///< --lapwing-help
};

struct Options {
  bool off = false;           ///< --lapwing-off
  bool verbose = false;       ///< --lapwing-verbose, MPICH's -echo
  bool inner = false;         ///< -###
  bool tell_version = false;  ///< -v: MPICH's wrappers say which they are
  Show show = Show::nothing;
  std::string mode = "aggressive";
  bool mode_given = false;  ///< by the user
  std::string sets;         ///< check or run; empty: off
  bool p2p = false;         ///< --sets=run,p2p
  bool warns = true;        ///< -Wlapwing-sets
  std::string as_errors;    ///< clang's word for -Werror=lapwing-sets or -Wno-error=lapwing-sets
  bool declared = false;    ///< --declared
  bool interior = true;     ///< -flapwing-interior
  std::string profile;      ///< absolute
  std::optional<Mpi> mpi;   ///< --lapwing-mpi
  Words mpich_only;         ///< for MPICH's own wrapper: -static-mpi, -profile=, -config=, -nativelinking
  std::string compiler;     ///< -cc=, -cxx=, -fc=
  Words rest;               ///< for the compiler, in order
};

/// Throws Failure for what only Lapwing could mean and does not know.
Options read_options(const Words& words);

/// The text of --lapwing-help.
std::string help();

}  // namespace lapwing::wrapper
