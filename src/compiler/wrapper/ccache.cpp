// SPDX-License-Identifier: Apache-2.0
#include "ccache.hpp"

#include <cstdlib>

#include "process.hpp"

namespace lapwing::wrapper {

namespace {

/// Adds to a list in a variable, which the user may have begun.
void add(const char* name, const std::string& item) {
  const auto present = variable(name);
  setenv(name, (present ? *present + ":" + item : item).c_str(), 1);
}

}  // namespace

void tell_ccache(const Words& compiler, const std::string& options, const Words& files) {
  bool behind = false;
  for (const auto& word : compiler) behind = behind || word.substr(word.rfind('/') + 1) == "ccache";
  if (!behind) return;
  add("CCACHE_NAMESPACE", options);
  for (const auto& file : files) {
    if (!file.empty()) add("CCACHE_EXTRAFILES", file);
  }
}

}  // namespace lapwing::wrapper
