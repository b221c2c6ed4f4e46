// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
namespace lapwing::cli {
Command add_demo(CLI::App& app) { return {app.add_subcommand("demo", "x"), false, {}}; }
}
