// SPDX-License-Identifier: Apache-2.0
// From what the user typed to what is started: the one place that decides
// whether a program can run with Lapwing, and how the preload gets to it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/launcher.hpp"
#include "cli/launch/process.hpp"
#include "cli/launch/program.hpp"

namespace lapwing::cli {

struct Request {
  std::vector<std::string> words;  ///< the user's command
  std::optional<int> ranks;        ///< -n: choose the launcher
  std::string launcher;  ///< --launcher: this one, with options of its own; else the program's MPI's
  Variables variables;   ///< LAPWING_ variables and --env
};

struct Plan {
  Mpi mpi = Mpi::unknown;
  bool preloaded = false;
  std::string plain_because;       ///< a sentence, if it is a plain run
  std::vector<std::string> notes;  ///< what else the user should know
  std::vector<std::string> plain;  ///< the job without Lapwing
  CommandLine line;                ///< the same, taken apart
  std::string preload;             ///< the value of LD_PRELOAD
  bool uniform = false;            ///< every rank is certain to have the preload

  /// The job without Lapwing.
  Job off() const;
  /// The job with the preload and these variables.
  Job on(const Variables& variables) const;
};

/// Throws Failure if there is nothing to start.
Plan make_plan(const Request& request);

}  // namespace lapwing::cli
