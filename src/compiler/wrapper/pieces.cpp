// SPDX-License-Identifier: Apache-2.0
#include "pieces.hpp"

#include <unistd.h>

#include "process.hpp"

namespace lapwing::wrapper {

Pieces find_pieces(Mpi mpi) {
  const auto is_there = [](const std::string& path) { return access(path.c_str(), R_OK) == 0; };
  const std::string bin = my_folder();
  const std::string flavour = name_of(mpi);
  Pieces pieces;
  pieces.flavour = flavour;
  pieces.folder = bin.substr(0, bin.rfind('/')) + "/lib";
  pieces.headers = bin.substr(0, bin.rfind('/')) + "/include";
  pieces.plugin = pieces.folder + "/LapwingPass.so";
  pieces.library = pieces.folder + "/liblapwing-" + flavour + ".so";
  pieces.preload = pieces.folder + "/liblapwing-preload.so";
  pieces.modules = pieces.folder + "/lapwing/" + flavour + "/mod";
  pieces.module_library = pieces.folder + "/liblapwing-mpifort-" + flavour + ".a";
  pieces.has_plugin = is_there(pieces.plugin);
  pieces.has_library = is_there(pieces.library);
  pieces.has_preload = is_there(pieces.preload);
  pieces.has_headers = is_there(pieces.headers + "/lapwing");
  pieces.has_modules = is_there(pieces.modules);
  pieces.has_module_library = is_there(pieces.module_library);
  return pieces;
}

}  // namespace lapwing::wrapper
