// SPDX-License-Identifier: Apache-2.0
// The LAPWING_ environment variables: one table for the options of `run` and
// for checking what the user's environment holds.
#pragma once

#include <string>
#include <vector>

#include "cli/process.hpp"

namespace lapwing::cli {

struct Variable {
  enum class Kind { choice, bytes, path, word };
  const char* name;
  Kind kind;
  std::vector<std::string> choices;  ///< for Kind::choice
};

const std::vector<Variable>& known_variables();

/// Empty if `value` suits the variable, else what it should have been.
std::string complaint(const Variable& variable, const std::string& value);
const Variable* find_variable(const std::string& name);

/// A count of bytes with an optional suffix K, M or G; -1 if it is none.
long long parse_bytes(const std::string& text);

/// The LAPWING_ variables of this process' environment. Unknown ones are
/// reported with the nearest known name and removed from the environment, bad
/// values likewise: both would be ignored by the engine.
Variables checked_environment();

/// In place of an earlier value.
void set_variable(Variables& variables, const std::string& name, const std::string& value);

}  // namespace lapwing::cli
