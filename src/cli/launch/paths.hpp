// SPDX-License-Identifier: Apache-2.0
// Where the parts of Lapwing lie, relative to the command itself: the build
// tree and an installation look the same.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lapwing::cli {

/// The directory above bin/.
std::filesystem::path prefix();
/// lib/liblapwing-preload.so; throws Failure if it is missing.
std::filesystem::path preload_library();
/// Where the engine for this family of MPIs is, if it is installed.
std::filesystem::path engine_library(const std::string& flavour);
/// libexec/lapwing/<name>, if it is there; `name` may hold a folder.
std::optional<std::filesystem::path> helper_program(const std::string& name);
/// The netlab tool, installed or in the source tree beside the build tree.
std::optional<std::filesystem::path> netlab();
/// Where `tune` stores what it measured, unless told otherwise.
std::filesystem::path default_profile();
/// The last part of a path, by which launchers, shells and interpreters are known.
std::string base_name(const std::string& word);
/// The file that a shell would run for `name`: itself if it holds a slash, else by PATH.
std::optional<std::filesystem::path> find_executable(const std::string& name);

/// A file in the temporary folder that goes when this object goes.
class TemporaryFile {
 public:
  TemporaryFile();
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The whole content, or nothing if the file cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

}  // namespace lapwing::cli
