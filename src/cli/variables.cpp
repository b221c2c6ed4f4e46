// SPDX-License-Identifier: Apache-2.0
#include "cli/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "cli/say.hpp"
#include "options/check.hpp"

namespace lapwing::cli {

Variables checked_environment() {
  Variables found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    if (equals == std::string_view::npos || (name != "LAPWING" && !name.starts_with("LAPWING_"))) continue;
    found.emplace_back(name, text.substr(equals + 1));
  }
  std::erase_if(found, [&](const auto& entry) {
    const auto& [name, value] = entry;
    const options::Option* const option = options::find(name);
    std::string wanted;
    if (option == nullptr) {
      const std::string nearest = options::nearest_variable(name);
      say("environment variable {} is not known and is ignored{}", name,
          nearest.empty() ? "" : "; did you mean " + nearest + "?");
    } else if (wanted = options::complaint(*option, value); !wanted.empty()) {
      say("environment variable {}={} is ignored: it should be {}", name, value, wanted);
    } else {
      return false;
    }
    ::unsetenv(name.c_str());
    return true;
  });
  return found;
}

void set_variable(Variables& variables, const std::string& name, const std::string& value) {
  std::erase_if(variables, [&](const auto& entry) { return entry.first == name; });
  variables.emplace_back(name, value);
}

}  // namespace lapwing::cli
