// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include <unistd.h>

#include <cctype>
#include <fstream>
#include <string_view>

#include "say.hpp"

namespace lapwing::wrapper {

namespace {

/// The module that a line uses, in small letters; empty if it uses none.
std::string used_module(const std::string& line) {
  std::string text;
  for (const char c : line) {
    if (c == '!') break;
    if (std::isspace(static_cast<unsigned char>(c)) == 0) text += static_cast<char>(std::tolower(c));
  }
  if (!text.starts_with("use")) return "";
  std::size_t start = 3;
  // "use, non_intrinsic :: mpi"
  if (const std::size_t colons = text.find("::"); colons != std::string::npos) start = colons + 2;
  return text.substr(start, text.find_first_of(",;", start) - start);
}

bool is_there(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

/// A module file that flang can read: gfortran's are packed by gzip.
bool for_flang(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file && file.get() != 0x1f;
}

/// The folder that a word, with the one behind it, adds to the module path; empty if it adds none.
std::string module_folder(const Words& words, std::size_t i) {
  for (const std::string_view flag : {"-I", "-J", "-module-dir"}) {
    if (!words[i].starts_with(flag)) continue;
    const std::string joined = words[i].substr(flag.size());
    return joined.empty() && i + 1 < words.size() ? words[i + 1] : joined;
  }
  return "";
}

/// Whether the user brings a module file along.
bool users_own(const std::string& module, const Words& arguments) {
  if (for_flang(module + ".mod")) return true;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string folder = module_folder(arguments, i);
    if (!folder.empty() && for_flang(folder + "/" + module + ".mod")) return true;
  }
  return false;
}

}  // namespace

std::string used_mpi_module(const std::string& source) {
  std::ifstream file(source);
  for (std::string line; std::getline(file, line);) {
    const std::string module = used_module(line);
    if (module == "mpi" || module == "mpi_f08") return module;
  }
  return "";
}

std::size_t gfortran_modules(const Words& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string folder = module_folder(arguments, i);
    if (folder.empty()) continue;
    for (const char* module : {"/mpi.mod", "/mpi_f08.mod"}) {
      if (is_there(folder + module) && !for_flang(folder + module)) return i;
    }
  }
  return arguments.size();
}

void need_modules(const Words& sources, const Words& arguments, const std::string& folder) {
  for (const auto& source : sources) {
    const std::string module = used_mpi_module(source);
    if (module.empty() || is_there(folder + "/" + module + ".mod") || users_own(module, arguments)) continue;
    throw Failure(source + " uses the module " + module + ", but " + folder +
                  " has none for flang, which cannot read " +
                  "gfortran's. Build Lapwing where flang is installed, or include 'mpif.h'.");
  }
}

}  // namespace lapwing::wrapper
