// SPDX-License-Identifier: Apache-2.0
#include "compiler/options.hpp"

#include <llvm/ADT/SmallVector.h>

#include <cstdlib>

namespace lapwing::compiler {

bool parse_mode(llvm::StringRef name, Mode* mode) {
  if (name == "conservative") {
    *mode = Mode::conservative;
  } else if (name == "aggressive") {
    *mode = Mode::aggressive;
  } else if (name == "demand") {
    *mode = Mode::demand;
  } else if (name == "report") {
    *mode = Mode::report;
  } else {
    return false;
  }
  return true;
}

Options parse_options(llvm::StringRef text) {
  Options options;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',', -1, false);
  for (llvm::StringRef part : parts) {
    const auto [key, value] = part.split('=');
    if (key == "mode") {
      if (!parse_mode(value, &options.mode))
        options.complaints.push_back("mode=" + value.str() +
                                     " is none of conservative, aggressive, demand, report");
    } else if (key == "prelink") {
      options.before_link = true;
    } else if (key == "profile") {
      options.profile = value.str();
    } else if (part == "gate=off") {
      options.cost_gate = false;

    } else {
      options.complaints.push_back("'" + part.str() +
                                   "' is no option; there are mode=, profile=, gate=off and prelink");
    }
  }
  return options;
}

const Options& options() {
  static const Options read = [] {
    const char* text = std::getenv("LAPWING_PASS");
    return parse_options(text ? text : "");
  }();
  return read;
}

}  // namespace lapwing::compiler
