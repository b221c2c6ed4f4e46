// SPDX-License-Identifier: Apache-2.0
// Command lines: words, and one line that holds them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lapwing::wrapper {

using Words = std::vector<std::string>;

/// The words between white space; quotes mean nothing.
Words split_plain(std::string_view line);

/// The words of a response file, as GCC and clang read it: a backslash keeps
/// the next character, in quotes as well.
Words split_quoted(std::string_view text);

/// One line that a shell reads as these words.
std::string quoted(const Words& words);

/// Text that split_quoted reads as these words, one a line.
std::string as_response(const Words& words);

void append(Words& to, const Words& more);

bool contains(const Words& words, const std::string& word);

}  // namespace lapwing::wrapper
