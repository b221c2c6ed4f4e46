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
  } else if (name == "verify") {
    *mode = Mode::verify;
  } else {
    return false;
  }
  return true;
}

bool parse_sets(llvm::StringRef name, Sets* sets) {
  if (name != "off" && name != "check" && name != "run") return false;
  *sets = name == "run" ? Sets::run : name == "check" ? Sets::check : Sets::off;
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
                                     " is none of conservative, aggressive, demand, verify, report");
    } else if (key == "prelink") {
      options.before_link = true;
    } else if (key == "profile") {
      options.profile = value.str();
    } else if (part == "interior=on" || part == "interior=off") {
      options.interior = value == "on";
    } else if (part == "gate=off") {
      options.cost_gate = false;
    } else if (key == "sets") {
      if (!parse_sets(value, &options.sets))
        options.complaints.push_back("sets=" + value.str() + " is none of off, check, run");
    } else if (part == "p2p=on") {
      options.messages = true;
    } else if (part == "warnings=off") {
      options.warns = false;
    } else if (part == "declared=on") {
      options.declared = true;
    } else if (part == "sink=off") {
      options.sinks = false;
    } else {
      options.complaints.push_back("'" + part.str() +
                                   "' is no option; there are mode=, profile=, sets=, declared=on, "
                                   "interior=on, interior=off, warnings=off, gate=off, sink=off and prelink");
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
