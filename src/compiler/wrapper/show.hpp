// SPDX-License-Identifier: Apache-2.0
// What is printed instead of running the compiler, or before it.
#pragma once

#include <string>

#include "options.hpp"
#include "plan.hpp"

namespace lapwing::wrapper {

/// The line for one of the shows that a plan answers.
std::string shown(Show show, const Plan& plan);

/// The command as a shell would take it, the plugin's options before it.
std::string with_environment(const Plan& plan);

/// The lines of -showme:help.
std::string showme_help();

}  // namespace lapwing::wrapper
