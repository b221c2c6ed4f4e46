// SPDX-License-Identifier: Apache-2.0
// How the command speaks to its user: one sentence a line, on stderr.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace lapwing::cli {

/// Exit statuses of the command itself; a job's own status passes through.
enum Status : int {
  kDifferent = 123,  ///< --compare: the outputs differ
  kUsage = 2,        ///< unknown option, bad value
  kFailed = 125,     ///< Lapwing itself could not do its job
  kNotExecutable = 126,
  kNotFound = 127,
};

/// Ends the command with a sentence: what was wrong, where, what to do.
struct Failure : std::runtime_error {
  Failure(int exit_status, const std::string& sentence) : std::runtime_error(sentence), status(exit_status) {}
  int status;
};

template <typename... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::print(stderr, "lapwing: {}\n", fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace lapwing::cli
