// SPDX-License-Identifier: Apache-2.0
// Which shared libraries a program will load, found as the loader finds them
// (DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, the loader's cache, default folders)
// and without running the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lapwing::cli {

struct Library {
  std::string name;            ///< as it is asked for: "libmpi.so.40"
  std::filesystem::path path;  ///< empty if it was not found
};

/// All libraries that `program` needs, directly or not, nearest first.
std::vector<Library> libraries_of(const std::filesystem::path& program);

/// The file that the loader would take for `name` on behalf of no program.
std::filesystem::path find_library(const std::string& name);

}  // namespace lapwing::cli
