// SPDX-License-Identifier: Apache-2.0
// Command-line values: lists and byte counts.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace lapwing::bench {

/// A command line that cannot be obeyed; what() is a sentence for the user.
struct BadOption : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "64K", "1M", "123" as bytes.
std::size_t parse_bytes(const std::string& text);

/// A finite number above zero.
double parse_positive(const std::string& text);

/// Cuts at commas.
std::vector<std::string> split_list(const std::string& text);

}  // namespace lapwing::bench
