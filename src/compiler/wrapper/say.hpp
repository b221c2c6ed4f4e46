// SPDX-License-Identifier: Apache-2.0
// What the wrapper says to its user: always on stderr, always under the name
// that it was called by, always a sentence.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lapwing::wrapper {

/// Ends the wrapper with one sentence and an exit status.
struct Failure : std::runtime_error {
  explicit Failure(const std::string& sentence, int exit_status = 1)
      : std::runtime_error(sentence), status(exit_status) {}
  int status;
};

/// The name before every sentence; main sets it first.
void call_me(const std::string& name);
const std::string& my_name();

/// A sentence that ends nothing.
void say(const std::string& sentence);

/// From here on nothing: what is printed is for a program to read.
void say_no_more();

/// The end of a sentence: "; did you mean X?", or "." if no candidate is near.
std::string meant(const std::string& word, const std::vector<std::string>& candidates);

/// "a, b or c".
std::string one_of(const std::vector<std::string>& words);
/// "a, b and c".
std::string all_of(const std::vector<std::string>& words);

}  // namespace lapwing::wrapper
