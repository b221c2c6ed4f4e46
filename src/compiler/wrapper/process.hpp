// SPDX-License-Identifier: Apache-2.0
// Other programs: finding them, asking them, becoming one.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "words.hpp"

namespace lapwing::wrapper {

/// A variable's value; nothing if it is unset or empty.
std::optional<std::string> variable(const std::string& name);

/// The program that a shell would run, or nothing. Never this wrapper itself,
/// whatever name it has there.
std::optional<std::string> find_program(const std::string& name);

/// Whether a path, or a name on PATH, leads to this very wrapper.
bool is_myself(const std::string& name);

/// The folder that this wrapper's file lies in, links followed.
const std::string& my_folder();

struct Answer {
  int status = 0;  ///< exit status, or 128 + signal
  std::string out;
  std::string err;
};
/// Set for what `ask` starts.
constexpr const char* asked_by_itself = "LAPWING_WRAPPER_ASKS";

/// The output of a small program, with these variables unset for it; nothing if
/// it cannot be started.
std::optional<Answer> ask(const Words& command, const Words& unset = {});

/// Becomes the command, so its exit status, its signals and its standard input
/// are its own. Returns only by throwing Failure (126 or 127).
[[noreturn]] void become(const Words& command);

}  // namespace lapwing::wrapper
