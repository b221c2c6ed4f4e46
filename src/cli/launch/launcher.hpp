// SPDX-License-Identifier: Apache-2.0
// The command lines of MPI launchers: which launcher it is, where the programs
// stand, and how variables reach the ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/launch/process.hpp"
#include "cli/launch/program.hpp"

namespace lapwing::cli {

enum class Launcher { none, hydra, orte, srun, unknown };

/// Which launcher the word starts: by its name, by what it is a link to, or as
/// a last resort by what it prints for --version.
Launcher recognise(const std::string& word);
/// True for names that MPI launchers have, installed or not.
bool launcher_name(const std::string& word);
Mpi mpi_of(Launcher launcher);

/// One program of a launch: options, then the program and its arguments.
struct Segment {
  std::size_t begin = 0;    ///< first word after the launcher or the separator
  std::size_t program = 0;  ///< the program's name; equal to `end` if none was found
  std::size_t end = 0;
};

struct CommandLine {
  std::vector<std::string> words;
  Launcher launcher = Launcher::none;
  std::size_t launcher_at = 0;    ///< index of the launcher's own name
  std::vector<Segment> segments;  ///< more than one: several programs make up the job
  bool from_file = false;         ///< programs are named in a file (-configfile, --app)
  bool own_environment = false;   ///< a program gets variables of its own (hydra's -env...)
  std::string user_preload;       ///< LD_PRELOAD that the launcher's options set

  std::vector<std::string> program_words(std::size_t segment) const;
};

CommandLine parse_command(std::vector<std::string> words);

/// The same command with `variables` set in every rank, on every host.
/// `local` receives what must be set in the launcher's own environment.
std::vector<std::string> with_variables(const CommandLine& line, const Variables& variables,
                                        Variables& local);

}  // namespace lapwing::cli
