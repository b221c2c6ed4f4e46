// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "mpi/binding.hpp"

namespace lapwing::mpi {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// C's functions, for the reason that names_parameter() has. The last line that names it counts.
std::optional<std::string> parameter_in(const fs::path& path, std::string_view name) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  std::array<char, 1024> text{};
  std::optional<std::string> value;
  while (file && std::fgets(text.data(), text.size(), file.get())) {
    const std::string_view line(text.data());
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && trimmed(line.substr(0, equals)) == name)
      value = trimmed(line.substr(equals + 1));
  }
  return value;
}

}  // namespace

std::optional<std::string> parameter(std::string_view name) {
  if (const char* const given = std::getenv(("OMPI_MCA_" + std::string(name)).c_str())) return given;
  std::optional<std::string> value;
  if (const char* const home = std::getenv("HOME"))
    value = parameter_in(fs::path(home) / ".openmpi" / "mca-params.conf", name);
  const fs::path prefix = fs::path(library_path()).parent_path().parent_path();
  if (!value) value = parameter_in(prefix / "etc" / "openmpi-mca-params.conf", name);
  return value ? value : parameter_in("/etc/openmpi/openmpi-mca-params.conf", name);
}

bool admits(std::string_view list, std::string_view component) {
  const bool all_but = list.starts_with('^');
  if (all_but) list.remove_prefix(1);
  if (list.empty()) return true;
  bool named = false;
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    named = named || trimmed(rest.substr(0, comma)) == component;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return named != all_but;
}

}  // namespace lapwing::mpi
