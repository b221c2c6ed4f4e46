// SPDX-License-Identifier: Apache-2.0
#include "report/remarks.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "report/report.hpp"

namespace lapwing::report {
namespace {

// LLVM writes one form of YAML only: a key and a scalar a line, `'` doubled in
// quoted ones, and `{ File: x, Line: 1, Column: 2 }` for places.
std::string scalar(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  if (text.size() < 2 || text.front() != text.back() || (text.front() != '\'' && text.front() != '"'))
    return text;
  const char quote = text.front();
  std::string plain;
  for (std::size_t i = 1; i + 1 < text.size(); ++i) {
    plain += text[i];
    if (text[i] == quote && i + 2 < text.size() && text[i + 1] == quote) ++i;
  }
  return plain;
}

std::string field(const std::string& text, const std::string& name) {
  const auto begin = text.find(name + ": ");
  if (begin == std::string::npos) return {};
  const auto value = begin + name.size() + 2;
  return scalar(text.substr(value, text.find_first_of(",}", value) - value));
}

}  // namespace

std::vector<Remark> read_remarks(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw BadReport(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  std::vector<Remark> remarks;
  Remark one;
  bool ours = false, arguments = false, any = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("--- !")) {
      any = true;
      one = {};
      one.moved = line == "--- !Passed";
      ours = arguments = false;
    } else if (line.starts_with("Pass:")) {
      ours = scalar(line.substr(5)) == "lapwing";
    } else if (line.starts_with("DebugLoc:") && !arguments) {
      const std::string place = line.substr(9);
      one.site = std::filesystem::path(field(place, "File")).filename().string() + ":" + field(place, "Line");
    } else if (line.starts_with("Args:")) {
      arguments = true;
    } else if (line.starts_with("...")) {
      if (ours) remarks.push_back(one);
    } else if (arguments && line.starts_with("  - ")) {
      const auto colon = line.find(':');
      if (colon != std::string::npos) one.text += scalar(line.substr(colon + 1));
    }
  }
  if (!any)
    throw BadReport(
        fmt::format("{} is no optimisation record (-fsave-optimization-record writes them)", path));
  return remarks;
}

}  // namespace lapwing::report
