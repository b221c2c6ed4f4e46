// SPDX-License-Identifier: Apache-2.0
// Response files: @FILE stands for the words in FILE. They are read here, for
// the wrapper's own options may be in them.
#pragma once

#include "words.hpp"

namespace lapwing::wrapper {

/// All response files put in place, nested ones too. As with GCC, a file that
/// cannot be read leaves its word as it is. Throws Failure where files name
/// each other without end.
Words expand_responses(const Words& words);

/// The same words, in place of which one response file stands if they are too
/// many for a command line. The file is in memory and lives as long as this
/// process and what it becomes.
Words shorten(const Words& words);

}  // namespace lapwing::wrapper
