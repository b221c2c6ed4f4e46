// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/paths.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "cli/say.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

namespace {

bool executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string base_name(const std::string& word) { return fs::path(word).filename().string(); }

fs::path prefix() {
  static const fs::path found = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  return found;
}

fs::path preload_library() {
  const fs::path path = prefix() / "lib" / "liblapwing-preload.so";
  if (!fs::exists(path)) {
    throw Failure(kFailed, fmt::format("{} is missing, so no program can be run with Lapwing; "
                                       "build or install the whole project, not the command alone",
                                       path.string()));
  }
  return path;
}

fs::path engine_library(const std::string& flavour) {
  return prefix() / "lib" / fmt::format("liblapwing-{}.so", flavour);
}

std::optional<fs::path> helper_program(const std::string& name) {
  const fs::path path = prefix() / "libexec" / "lapwing" / name;
  if (executable(path)) return path;
  return std::nullopt;
}

std::optional<fs::path> netlab() {
  if (const char* chosen = std::getenv("NETLAB_TOOL"); chosen != nullptr && executable(chosen)) return chosen;
  for (const char* installed : {"netlab", "netlab/netlab"}) {
    if (auto found = helper_program(installed)) return found;
  }
  // build/<preset>/bin/lapwing: the source tree is two above the prefix.
  const fs::path in_tree = prefix().parent_path().parent_path() / "tools" / "netlab" / "netlab";
  if (executable(in_tree)) return in_tree;
  return std::nullopt;
}

fs::path default_profile() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && config[0] == '/') {
    return fs::path(config) / "lapwing" / "profile.json";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/") / ".config" / "lapwing" / "profile.json";
}

std::optional<fs::path> find_executable(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    if (executable(name)) return name;
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (executable(candidate)) return candidate;
  }
  return std::nullopt;
}

TemporaryFile::TemporaryFile() {
  std::error_code none;
  fs::path folder = fs::temp_directory_path(none);
  if (none) folder = "/tmp";
  std::string name = (folder / "lapwing-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) {
    throw Failure(kFailed,
                  fmt::format("cannot make a temporary file in {}: {}; set TMPDIR to a folder that can be "
                              "written",
                              folder.string(), std::strerror(errno)));
  }
  ::close(file);
  path_ = name;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  fs::remove(path_, ignored);
}

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return std::move(content).str();
}

}  // namespace lapwing::cli
