// SPDX-License-Identifier: Apache-2.0
// The options of `lapwing run`, each of which is an environment variable, and
// those of --compare.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/launch/process.hpp"

namespace lapwing::cli {

struct RunOptions {
  Variables variables;                ///< from options, in the order of the table
  std::vector<std::string> assigned;  ///< --env NAME=VALUE
  std::optional<int> ranks;
  std::string launcher;  ///< --launcher, with its own options
  bool dry_run = false;
  bool compare = false;
  int pairs = 3;
  bool json = false;
  std::vector<std::string> ignored;  ///< --ignore: lines that match are not compared
  std::vector<std::string> files;    ///< --output: files that the program writes, compared too
};

/// All variables for the ranks: the environment's, then the options'.
/// Throws Failure for a malformed --env.
Variables variables_of(const RunOptions& options);

/// --launcher, for run and check.
void add_launcher(CLI::App& app, RunOptions& options);

/// Runs off and on in turns and prints both; returns the exit status.
int compare(const RunOptions& options, const std::vector<std::string>& words);

}  // namespace lapwing::cli
