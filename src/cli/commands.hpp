// SPDX-License-Identifier: Apache-2.0
// The subcommands. Each adds its options to the command line and returns what
// is to be called with the words that follow the options.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace lapwing::cli {

struct Command {
  CLI::App* app = nullptr;
  bool takes_words = false;  ///< words after the options belong to a program
  std::function<int(const std::vector<std::string>& words)> call;
};

Command add_run(CLI::App& app);
Command add_report(CLI::App& app);
Command add_pages(CLI::App& app);
Command add_doctor(CLI::App& app);
Command add_demo(CLI::App& app);
Command add_bench(CLI::App& app);
Command add_reproduce(CLI::App& app);
Command add_tune(CLI::App& app);
Command add_check(CLI::App& app);

/// Examples under an option list.
std::string examples(const std::vector<std::pair<const char*, const char*>>& lines);

}  // namespace lapwing::cli
