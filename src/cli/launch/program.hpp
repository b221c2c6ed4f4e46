// SPDX-License-Identifier: Apache-2.0
// What kind of program the user wants to run, and which MPI it is linked with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lapwing::cli {

/// Families: their members share handles, constants and the name of the library.
enum class Mpi { unknown, none, mpich, openmpi, standard, other };

/// "MPICH", "Open MPI", ...
const char* name_of(Mpi mpi);
/// The folder of libexec and the suffix of libraries: "mpich", "openmpi" or "abi".
const char* flavour_of(Mpi mpi);

struct Program {
  enum class Kind {
    missing,      ///< no such file here (it may exist on another host)
    elf,          ///< a dynamically linked program
    fixed,        ///< statically linked: nothing can be preloaded
    fixed_mpi,    ///< dynamically linked, but MPI itself is inside the program
    script,       ///< a shell script, or something that starts something else
    interpreter,  ///< Python and its like: MPI comes with a module
    foreign,      ///< a program of another machine
  };
  Kind kind = Kind::missing;
  Mpi mpi = Mpi::unknown;
  std::string name;  ///< as the user wrote it
  std::filesystem::path path;
  std::string mpi_library;          ///< the file or name of the MPI library
  std::string not_found;            ///< a library that it needs and that is not there; or empty
  std::filesystem::path sanitizer;  ///< libasan or libtsan, which must be preloaded first
};

/// Looks at the command line `words`, which begins with the program's name.
/// Wrappers (env, numactl, taskset, valgrind, ...) are looked through, and for
/// Python the MPI of its mpi4py is found.
Program inspect_program(const std::vector<std::string>& words);

/// Commands that start the command given in their arguments.
bool is_wrapper(const std::string& name);

}  // namespace lapwing::cli
