// SPDX-License-Identifier: Apache-2.0
// The parts of Lapwing that compiled programs need, found beside the wrapper:
// in the build tree and where it is installed they lie alike.
#pragma once

#include <string>

#include "language.hpp"

namespace lapwing::wrapper {

struct Pieces {
  std::string flavour;  ///< as in the libraries' names
  std::string folder;   ///< the libraries'
  std::string headers;  ///< folder of lapwing/memory.h and its like
  std::string plugin;   ///< LapwingPass.so
  std::string library;  ///< the engine for this MPI
  std::string preload;  ///< the guards' hooks, for demand
  std::string modules;  ///< folder of mpi.mod, mpi_f08.mod and Lapwing's own modules for flang
  std::string module_library;
  bool has_plugin = false, has_library = false, has_preload = false;
  bool has_headers = false, has_modules = false, has_module_library = false;
};

Pieces find_pieces(Mpi mpi);

}  // namespace lapwing::wrapper
