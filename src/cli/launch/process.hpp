// SPDX-License-Identifier: Apache-2.0
// Starting other programs: in place of this one, beside it, or to read what
// they print. Signals sent to the command reach the job.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lapwing::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct Job {
  std::vector<std::string> words;
  Variables set;                 ///< added to this process' environment
  std::filesystem::path input;   ///< standard input; empty: this process' own
  std::filesystem::path output;  ///< standard output goes there; empty: this process' own
  std::filesystem::path errors;  ///< standard error goes there; empty: this process' own
  double limit_s = 0;            ///< killed after that many seconds; 0: never
};

struct Outcome {
  int status = 0;  ///< exit status, or 128 + signal
  int signal = 0;  ///< the signal that ended it
  bool timed_out = false;
  int interrupted = 0;  ///< a signal that this process got meanwhile
  double wall_s = 0;
};

/// Becomes the job. Returns only by throwing Failure (126 or 127).
[[noreturn]] void become(const Job& job);

/// Runs the job and waits for it. Ctrl-C and signals sent to this process
/// reach it once each.
Outcome run(const Job& job);

struct Captured {
  int status = 0;
  std::string output;  ///< standard output and error together
};
/// The output of a small command; nothing if it cannot be started or is too slow.
std::optional<Captured> capture(const std::vector<std::string>& words, double limit_s);

/// One line that a shell reads as these words.
std::string quoted(const std::vector<std::string>& words);
/// The words of a line, as a shell splits them (quotes and backslashes, no expansion).
std::vector<std::string> split_words(const std::string& line);

}  // namespace lapwing::cli
