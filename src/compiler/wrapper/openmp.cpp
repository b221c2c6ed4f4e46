// SPDX-License-Identifier: Apache-2.0
#include "openmp.hpp"

#include <filesystem>
#include <string>

#include "process.hpp"
#include "say.hpp"

namespace lapwing::wrapper {
namespace {

namespace fs = std::filesystem;

bool wants_openmp(const Words& arguments) {
  bool wants = false;
  for (const auto& word : arguments) {
    if (word == "-fopenmp" || word == "-fopenmp=libomp") wants = true;
    if (word == "-fno-openmp" || word == "-fopenmp=libgomp") wants = false;
  }
  return wants;
}

bool has_library(const fs::path& folder) {
  std::error_code none;
  return fs::exists(folder / "libomp.so", none) || fs::exists(folder / "libomp.a", none);
}

}  // namespace

void miss_openmp(const Words& compiler, const Words& arguments) {
  if (!wants_openmp(arguments)) return;
  for (const auto& word : arguments)
    if (word.rfind("-L", 0) == 0 && has_library(word.substr(2))) return;
  for (const auto& word : compiler) {
    const auto program = find_program(word);
    std::error_code none;
    const fs::path home = program ? fs::canonical(*program, none).parent_path().parent_path() : fs::path();
    if (home.parent_path() != "/usr/lib" || home.filename().string().rfind("llvm-", 0) != 0) continue;
    if (!has_library(home / "lib"))
      say("-fopenmp needs libomp, which " + home.string() + " does not have; install libomp-" +
          home.filename().string().substr(5) + "-dev.");
    return;
  }
}

}  // namespace lapwing::wrapper
