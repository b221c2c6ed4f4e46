// SPDX-License-Identifier: Apache-2.0
// The LAPWING_ environment variables of this process, checked against the table
// of options.
#pragma once

#include <string>

#include "cli/launch/process.hpp"

namespace lapwing::cli {

/// The LAPWING_ variables of this process' environment. Unknown ones are
/// reported with the nearest known name and removed from the environment, bad
/// values likewise: both would be ignored by the engine.
Variables checked_environment();

/// In place of an earlier value.
void set_variable(Variables& variables, const std::string& name, const std::string& value);

}  // namespace lapwing::cli
